/* What no printer prints of the arithmetic in JavaScript: sections by hand. */
/* == bits == */
/* The one arithmetic: the operations of the C, in its order. A double's 64 bits are two words. */
const word = new DataView(new ArrayBuffer(8));

/* The low 32 bits of a double. */
function low_bits(x) {
  word.setFloat64(0, x);
  return word.getUint32(4);
}

/* The high 32 bits of a double. */
function high_bits(x) {
  word.setFloat64(0, x);
  return word.getUint32(0);
}

/* The double that has these bits. */
function from_bits(high, low) {
  word.setUint32(0, high);
  word.setUint32(4, low);
  return word.getFloat64(0);
}
/* == copysign == */
function copysign(v, x) {
  return x < 0.0 || Object.is(x, -0.0) ? -v : v;
}
/* == softmax: needs maximum, exp_down == */
function softmax(...z) {
  const m = z.reduce(maximum);
  const e = z.map((v) => exp_down(v - m));
  const s = e.reduce((a, b) => a + b);
  return e.map((v) => v / s);
}
