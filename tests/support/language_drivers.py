"""The source text of programs that call exports to compiled languages; see `languages.py`."""

RUST_HEAD = r"""
macro_rules! of {
    ($net:ident, $proba:ident, $integers:expr, $classes:expr, $texts:expr) => {{
        use $net::*;
        let data = std::fs::read(concat!(stringify!($net), ".rows")).unwrap();
        let value = |at: usize| f64::from_le_bytes(data[8 * at..][..8].try_into().unwrap());
        let count = data.len() / 8 / (FEATURES + 1);
        let row = |i: usize| std::array::from_fn(|j| value(i * (FEATURES + 1) + j) as Real);
        let rows: Vec<Row> = (0..count).map(row).collect();
        let mut found = vec![f64::from(u8::from(selftest()))];
        for result in $proba(&rows) {
            found.extend(result.iter().map(|&v| v as f64));
        }
        let classes: fn(&[Row]) -> Vec<f64> = $classes;
        found.extend(classes(&rows));
        let integers: fn(&Row) -> Vec<f64> = $integers;
        found.extend(rows.iter().flat_map(integers));
        let mut bytes: Vec<u8> = found.iter().flat_map(|v| v.to_le_bytes()).collect();
        let texts: fn() -> Vec<String> = $texts;
        for text in texts() {
            bytes.extend("\u{1f}\u{1e}\u{1f}".bytes());
            bytes.extend(text.bytes());
        }
        std::fs::write(concat!(stringify!($net), ".out"), bytes).unwrap();
    }};
}
"""
RUST_INTEGERS = """|row| {
    let row = quantise(row);
    let mut all: Vec<f64> = row.iter().map(|&v| f64::from(v)).collect();
    let found = evaluate_integers(&row).unwrap_or([i16::MIN; RESULTS]);
    all.extend(found.iter().map(|&v| f64::from(v)));
    CLASS
    all
}"""
RUST_CLASS = "all.push(classify_integers(&row).map_or(-1.0, |n| n as f64));"
RUST_CLASSES = """|rows| predict_batch(rows).map(|n| n.map_or(-1.0, |n| n as f64)).collect(),
    || FEATURE_NAMES.iter().chain(&CLASS_NAMES).map(|n| n.to_string()).chain([ASKED]).collect()"""
RUST_VALUES = "|_| Vec::new(), || FEATURE_NAMES.iter().map(|n| n.to_string()).collect()"

JAVA_HEAD = r"""
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

public final class Driver {
    static String texts(List<String> names) {
        StringBuilder all = new StringBuilder();
        for (String name : names) all.append("\u001f\u001e\u001f").append(name);
        return all.toString();
    }

    static REAL[][] rows(String name, int features) throws IOException {
        ByteBuffer data = ByteBuffer.wrap(Files.readAllBytes(Path.of(name + ".rows")));
        data.order(ByteOrder.LITTLE_ENDIAN);
        REAL[][] rows = new REAL[data.capacity() / 8 / (features + 1)][features];
        for (REAL[] row : rows) {
            for (int i = 0; i < features; i++) row[i] = (REAL) data.getDouble();
            data.getDouble();
        }
        return rows;
    }

    static void write(
            String name,
            boolean passes,
            REAL[][] found,
            int[] classes,
            IntFunction<double[]> integers,
            String... texts)
            throws IOException {
        int width = 2 * found[0].length + 2 + integers.apply(0).length;
        ByteBuffer out = ByteBuffer.allocate(8 + 8 * found.length * width);
        out.order(ByteOrder.LITTLE_ENDIAN);
        out.putDouble(passes ? 1 : 0);
        for (REAL[] row : found) for (REAL value : row) out.putDouble(value);
        for (int number : classes) out.putDouble(number);
        for (int i = 0; i < found.length; i++) {
            for (double value : integers.apply(i)) out.putDouble(value);
        }
        byte[] bytes = java.util.Arrays.copyOf(out.array(), out.position());
        Files.write(Path.of(name + ".out"), bytes);
        String all = String.join("", texts);
        Files.writeString(Path.of(name + ".out"), all, StandardOpenOption.APPEND);
    }

    public static void main(String[] arguments) throws IOException {
"""

JAVA_INTEGERS = """i -> {
                var row = NET.quantise(ROWS[i]);
                var found = NET.evaluateIntegers(row);
                var parts = IntStream.concat(
                    IntStream.range(0, row.length).map(j -> row[j]),
                    IntStream.range(0, found.length).map(j -> found[j]));
                var number = IntStream.of(CLASS);
                return IntStream.concat(parts, number).asDoubleStream().toArray();
            }"""

GO_HEAD = r"""package main

import (
	"encoding/binary"
	"math"
	"os"
	"strconv"
IMPORTS)

func load(name string, put func(i, j int, value REAL), features int) {
	data, err := os.ReadFile(name + ".rows")
	if err != nil {
		panic(err)
	}
	for at := 0; 8*at < len(data); at++ {
		value := math.Float64frombits(binary.LittleEndian.Uint64(data[8*at:]))
		put(at/(features+1), at%(features+1), REAL(value))
	}
}

func sprint(number REAL) string {
	return strconv.FormatFloat(float64(number), 'g', -1, 64)
}

func store(name string, found []float64, texts []string) {
	var out []byte
	for _, value := range found {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(value))
	}
	for _, text := range texts {
		out = append(out, "\x1f\x1e\x1f"+text...)
	}
	if os.WriteFile(name+".out", out, 0o600) != nil {
		panic(name)
	}
}

func main() {
"""
