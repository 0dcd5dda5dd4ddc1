/* The recording: samples go through the exported stream, and what comes of them is drawn. */
{
  const element = (id) => document.getElementById(id);
  const { samples, windows } = page.played;
  const count = samples.length;
  const left = 60, right = 990, top = 10, bottom = 230, wantedAt = 246, givenAt = 284, high = 26;
  const x = (at) => left + ((right - left) * at) / Math.max(count - 1, 1);
  const plot = element("signal-plot");
  const add = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
    if (text !== undefined) {
      made.textContent = text;
    }
    plot.append(made);
    return made;
  };

  /* What the stream gives. */
  const stream = new exported.Stream();
  const found = [];
  samples.forEach((sample, at) => {
    const answer = stream.pushIntegers(sample);
    if (answer !== null) {
      const features = stream.features();
      found.push({ end: at, answer, features, shares: page.labels.length ? stream.predictProba() : null });
    }
  });
  const text = (value) => (typeof value === "number" ? String(Number(value.toPrecision(5))) : String(value));
  const same = found.length === windows.length &&
    windows.every((one, i) => one.end === found[i].end && (page.labels.length ? one.given === String(found[i].answer) : Object.is(one.given, found[i].answer)));
  const right_ = windows.filter((one) => one.given === one.wanted).length;
  const check = element("signal-check");
  check.dataset.outcome = same ? "same" : "differs";
  check.textContent = same
    ? `All ${windows.length} windows have ${page.labels.length ? "the labels" : "the bits"} of the run${page.labels.length ? `; ${right_} of them are right` : ""}.`
    : "The stream gives other results here than in the run.";

  /* The channels in their own units, on one scale. */
  const values = samples.map((sample) => sample.map((k, i) => page.channels[i].offset + page.channels[i].scale * k));
  const all = values.flat();
  const least = all.reduce((a, b) => Math.min(a, b), Infinity), most = all.reduce((a, b) => Math.max(a, b), -Infinity);
  const y = (value) => bottom - ((bottom - top) * (value - least)) / (most - least || 1);
  const shade = add("rect", { class: "signal-window", y: top, height: bottom - top });
  [least, (least + most) / 2, most].forEach((value) => {
    add("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) });
    add("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, String(Number(value.toPrecision(3))));
  });
  page.channels.forEach((_, i) => {
    const d = values.map((row, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(row[i]).toFixed(1)}`).join("");
    add("path", { class: `line s${i % 6}`, d });
  });

  /* Below, a box for each window: what it is, and what the stream gives. */
  const names = page.labels.map(String);
  const box = (at, one, value, isRight) => {
    const width = x(one.end) - x(Math.max(one.end - page.step, 0));
    const group = add("g", {});
    const number = names.indexOf(String(value));
    const rect = add("rect", { class: `box s${(number < 0 ? 4 : number) % 6}${isRight ? "" : " wrong"}`, x: x(one.end) - width, y: at, width, height: high });
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = text(value);
    rect.append(title);
    group.append(rect);
  };
  add("text", { class: "tick", x: left - 6, y: wantedAt + 17, "text-anchor": "end" }, "is");
  add("text", { class: "tick", x: left - 6, y: givenAt + 17, "text-anchor": "end" }, "network");
  if (names.length) {
    const stretches = (key, at) => {
      let begin = 0;
      windows.forEach((one, i) => {
        box(at, one, one[key], key === "wanted" || one.given === one.wanted);
        if (i + 1 === windows.length || windows[i + 1][key] !== one[key]) {
          const from = x(Math.max(windows[begin].end - page.step, 0)), to = x(one.end);
          const label = String(one[key]);
          if (to - from > 8 * label.length) {
            add("text", { class: "tick", x: (from + to) / 2, y: at + 17, "text-anchor": "middle" }, label);
          }
          begin = i + 1;
        }
      });
    };
    stretches("wanted", wantedAt);
    stretches("given", givenAt);
  } else {
    const both = windows.flatMap((one) => [one.wanted, one.given]).filter(Number.isFinite);
    const low = Math.min(...both), up = Math.max(...both);
    const at = (value) => givenAt + high - ((givenAt + high - wantedAt) * (value - low)) / (up - low || 1);
    ["wanted", "given"].forEach((key, i) => {
      const d = windows.map((one, n) => `${n ? "L" : "M"}${x(one.end).toFixed(1)} ${at(one[key]).toFixed(1)}`).join("");
      add("path", { class: `line s${i}`, d });
    });
  }
  const cursor = add("line", { class: "signal-cursor", y1: top, y2: givenAt + high });

  /* What there is at a sample. */
  const slider = element("signal-at"), output = element("signal-output"), play = element("signal-play");
  function show() {
    const at = Number(slider.value);
    const last = found.findLast((one) => one.end <= at);
    cursor.setAttribute("x1", String(x(at)));
    cursor.setAttribute("x2", String(x(at)));
    const begin = last ? last.end - page.window + 1 : 0;
    shade.setAttribute("x", String(x(begin)));
    shade.setAttribute("width", String(last ? x(last.end) - x(begin) : 0));
    const wanted = last && windows.find((one) => one.end === last.end);
    const share = last?.shares ? ` (${(100 * Math.max(...last.shares)).toFixed(1)} %)` : "";
    output.textContent = `${at + 1}: ` + (last ? `${text(last.answer)}${share}, is ${text(wanted?.wanted)}` : "the first window is not complete");
    element("signal-features").replaceChildren(...(last ? last.features : []).map((value, i) => {
      const line = document.createElement("tr");
      const name = document.createElement("th"), cell = document.createElement("td");
      name.scope = "row";
      name.textContent = exported.columns[i];
      cell.textContent = String(value);
      line.append(name, cell);
      return line;
    }));
  }
  slider.addEventListener("input", show);
  let playing = 0;
  play.addEventListener("click", () => {
    if (playing) {
      clearInterval(playing);
      playing = 0;
      play.textContent = "Play";
      return;
    }
    play.textContent = "Stop";
    slider.value = Number(slider.value) >= count - 1 ? 0 : slider.value;
    const rate = Math.max(page.rate ?? 50, count / 60); /* all of it takes a minute at most */
    playing = setInterval(() => {
      slider.value = Math.min(Number(slider.value) + Math.max(1, Math.round(rate / 20)), count - 1);
      show();
      if (Number(slider.value) >= count - 1) {
        play.click();
      }
    }, 50);
  });
  show();
}
