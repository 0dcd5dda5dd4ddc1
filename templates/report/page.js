/* The page's own part: what is typed goes through the network, and what comes of it is drawn. */
{
  const element = (id) => document.getElementById(id);
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const row = columns.map((_, i) => (read.includes(i) ? page.start[i] : NaN));
  const drawing = element("drawing");
  const reading = element("reading");
  const isClassifier = page.labels.length > 0;
  const firstOutput = page.nodes.findIndex((node) => node.kind === "output");
  let trace = [];

  /* Four digits that mean something. */
  const short = (value) => {
    if (!Number.isFinite(value)) {
      return value !== value ? "not a number" : value > 0 ? "∞" : "−∞";
    }
    const size = Math.abs(value);
    const text = size !== 0 && (size >= 1e6 || size < 1e-4) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
    return text.replace(/-/g, "−");
  };

  /* Bits as hexadecimal digits: no text rounds them. */
  const bits = (values) =>
    Array.from(new Uint8Array(Float64Array.from(values).buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

  /* Whether numbers are those of the run; what is not finite is null in the run's file. */
  const isSame = (found, wanted) =>
    found.length === wanted.length &&
    wanted.every((value, i) => (value === null ? !Number.isFinite(found[i]) : Object.is(value, found[i])));

  /* How full a neuron is drawn. */
  const level = (node, value) => {
    const size = Math.abs(value);
    const bounded = page.bounded.some((call) => node.formula.startsWith(call)) || (node.kind === "output" && isClassifier);
    return !(size > 0) ? 0 : bounded ? Math.min(size, 1) : size === Infinity ? 1 : size / (1 + size);
  };

  const dots = page.nodes.map((node, i) => {
    const dot = drawing.querySelector(`[data-trace="${i}"]`);
    return dot && { dot, disc: dot.querySelector(".level"), value: dot.querySelector(".value") };
  });

  const bars = all("[data-bar]");

  function show() {
    const found = results(row);
    const y = outputs(row);
    trace = activations(row);
    y.forEach((value, i) => { trace[firstOutput + i] = value; });
    dots.forEach((drawn, i) => {
      if (drawn) {
        drawn.value.textContent = short(trace[i]);
        drawn.disc?.setAttribute("r", String(Math.sqrt(level(page.nodes[i], trace[i])) * Number(drawn.disc.dataset.radius)));
        drawn.dot.classList.toggle("negative", trace[i] < 0);
      }
    });
    if (isClassifier) {
      const number = chosen(row);
      element("prediction").textContent = page.labels[number] ?? "no class: an output is not a number";
      const order = found.map((_, i) => i);
      if (bars.length < found.length) {
        order.sort((a, b) => found[b] - found[a] || a - b);
      }
      bars.forEach((bar, place) => {
        const i = order[place];
        bar.querySelector(".bar-name").textContent = page.labels[i];
        bar.querySelector(".bar-fill").style.width = `${100 * Math.min(Math.max(found[i], 0), 1) || 0}%`;
        bar.querySelector(".bar-number").textContent = Number.isFinite(found[i]) ? found[i].toFixed(4) : short(found[i]);
        bar.classList.toggle("chosen", i === number);
      });
    } else {
      element("prediction").textContent = found.map(short).join(", ");
    }
    element("exact").textContent = found.map(String).join(", ");
    return found;
  }

  /* Fields show what the row holds. */
  function fillFields() {
    for (const field of all("[data-column]")) {
      const value = row[Number(field.dataset.column)];
      const isMissing = value !== value;
      if (field.type === "checkbox") {
        field.checked = isMissing;
      } else if (field.tagName === "SELECT") {
        field.value = isMissing ? "missing" : String(value);
      } else if (!isMissing) {
        field.value = String(value);
      }
      if (field.type === "number" || field.type === "range") {
        field.disabled = isMissing;
        field.removeAttribute("aria-invalid");
      }
    }
  }

  function forgetExample() {
    all("[data-example]").forEach((button) => button.setAttribute("aria-pressed", "false"));
    element("compared").textContent = "";
  }

  for (const field of all("[data-column]")) {
    const i = Number(field.dataset.column);
    field.addEventListener("input", () => {
      const others = all(`[data-column="${i}"]`).filter((other) => other !== field);
      if (field.type === "checkbox") {
        row[i] = field.checked ? NaN : page.start[i];
        fillFields();
      } else if (field.tagName === "SELECT") {
        row[i] = field.value === "missing" ? NaN : Number(field.value);
      } else {
        const value = field.value.trim() === "" ? NaN : Number(field.value);
        if (value !== value) {
          field.setAttribute("aria-invalid", "true");
          return;
        }
        field.removeAttribute("aria-invalid");
        row[i] = value;
        others.filter((other) => other.type !== "checkbox").forEach((other) => { other.value = String(value); });
      }
      forgetExample();
      show();
    });
  }

  for (const button of all("[data-example]")) {
    button.addEventListener("click", () => {
      const example = page.examples[Number(button.dataset.example)];
      row.splice(0, row.length, ...numbers(example.values));
      fillFields();
      forgetExample();
      button.setAttribute("aria-pressed", "true");
      const found = show();
      const wanted = example.outputs.map((value) => (value === null ? "not finite" : String(value)));
      element("compared").textContent =
        `The table says ${example.wanted}. The run gave ${wanted.join(", ")}: ` +
        (isSame(found, example.outputs) ? "the same, to the last bit." : "NOT what this browser computes.");
    });
  }
  element("medians")?.addEventListener("click", () => {
    page.start.forEach((value, i) => { row[i] = read.includes(i) ? value : NaN; });
    fillFields();
    forgetExample();
    show();
  });

  /* The formula of what is pointed at, and the lines that belong to it. */
  function describe(dot) {
    const i = Number(dot.dataset.trace);
    const node = page.nodes[i];
    reading.textContent = `${node.name}${node.formula ? ` = ${node.formula}` : ""}; now ${trace[i]}`;
    drawing.classList.add("reading-dot");
    for (const wire of drawing.querySelectorAll(".wire")) {
      wire.classList.toggle("on", wire.dataset.start === String(i) || wire.dataset.end === String(i));
    }
  }
  for (const dot of drawing.querySelectorAll("[data-trace]")) {
    dot.addEventListener("pointerenter", () => describe(dot));
    dot.addEventListener("focus", () => describe(dot));
    for (const end of ["pointerleave", "blur"]) {
      dot.addEventListener(end, () => drawing.classList.remove("reading-dot"));
    }
  }

  fillFields();
  show();
  const checked = page.examples.map((example) => results(numbers(example.values)));
  const isRight = checked.every((found, i) => isSame(found, page.examples[i].outputs));
  const check = element("check");
  check.dataset.outcome = isRight ? "same" : "other";
  check.dataset.bits = bits(checked.flat());
  if (page.examples.length > 0) {
    check.textContent = isRight
      ? `Checked just now, in this browser: all ${checked.length} example rows give the run's numbers to the last bit.`
      : "This browser computes other numbers than the run for some of the example rows.";
  }
  document.documentElement.dataset.ready = "yes";
}
