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
/* == div == */
function div(a, b) {
  return b === 0.0 ? 1.0 : a / b;
}
/* == neg == */
function neg(x) {
  return -x;
}
/* == absolute == */
function absolute(x) {
  return Math.abs(x);
}
/* == minimum == */
function minimum(a, b) {
  const n = a !== a ? a : b;
  return a < b ? a : n;
}
/* == maximum == */
function maximum(a, b) {
  const n = a !== a ? a : b;
  return a > b ? a : n;
}
/* == relu == */
function relu(x) {
  return x < 0.0 ? 0.0 : x;
}
/* == fill == */
function fill(a, b) {
  return a !== a ? b : a;
}
/* == equals == */
function equals(a, b) {
  return a === b ? 1.0 : 0.0;
}
/* == sqrt: needs absolute == */
function sqrt(x) {
  return Math.sqrt(absolute(x));
}
/* == exp_core == */
/* exp(r) - 1 - r for |r| <= ln(2)/2. */
function exp_core(r) {
  const z = r * r;
  const w = z * z;
  const p01 = 0.5000000000000004 + r * 0.16666666666666496;
  const p23 = 0.041666666666581656 + r * 0.008333333333462953;
  const p45 = 0.001388888893022589 + r * 0.00019841269536166674;
  const p67 = 2.480150667943323e-05 + r * 2.7557587721068823e-06;
  const p89 = 2.762553676944757e-07 + r * 2.4992450692466455e-08;
  const low = p01 + z * p23;
  const high = (p45 + z * p67) + w * p89;
  return z * (low + w * high);
}
/* == exp_sum: needs bits, exp_core == */
/* exp(x + low) for a low far below x; 2^k is two factors, because it can be out of range. */
function exp_sum(x, low) {
  const high = x > 710.0 ? 710.0 : x;
  const y = high < -746.0 ? -746.0 : high;
  const tail = y === x ? low : 0.0;
  const t = y * 1.4426950408889634 + 6755399441057790.0;
  const k = t - 6755399441057790.0;
  const a = y - k * 0.6931471805598903;
  const b = k * 5.497923018708371e-14 - tail;
  const p = 1.0 + (a + (exp_core(a - b) - b));
  const n = low_bits(t);
  const h = n >>> 1;
  return (p * from_bits(h << 20, 0)) * from_bits((n - h) << 20, 0);
}
/* == exp: needs exp_sum == */
function exp(x) {
  return exp_sum(x, 0.0);
}
/* == exp_down: needs bits, exp_core == */
/* exp(x) for x <= 0, the same bits for less work: 2^(k + 64) is always in range. */
function exp_down(x) {
  const y = x < -746.0 ? -746.0 : x;
  const t = y * 1.4426950408889634 + 6755399441056831.0;
  const k = t - 6755399441056831.0;
  const a = y - k * 0.6931471805598903;
  const b = k * 5.497923018708371e-14;
  const p = 1.0 + (a + (exp_core(a - b) - b));
  return (p * from_bits(low_bits(t) << 20, 0)) * 5.421010862427522e-20;
}
/* == sig: needs absolute, exp_down == */
function sig(x) {
  const e = exp_down(-absolute(x));
  const top = x >= 0.0 ? 1.0 : e;
  return top / (1.0 + e);
}
/* == tanh: needs absolute, bits, copysign, exp_core == */
/* -m / (2 + m) with m = exp(-2|x|) - 1. */
function tanh(x) {
  const u = absolute(x);
  const y = u > 20.0 ? -40.0 : -2.0 * u;
  const t = y * 1.4426950408889634 + 6755399441056767.0;
  const k = t - 6755399441056767.0;
  const s = from_bits(low_bits(t) << 20, 0);
  const a = y - k * 0.6931471805598903;
  const b = k * 5.497923018708371e-14;
  const g = exp_core(a - b) - b;
  const q = a + g;
  const q_low = (a - q) + g;
  const c = s * q;
  const h = s - 1.0;
  const m = h + c;
  const m_low = ((h - m) + c) + s * q_low;
  const v = (0.0 - m) / ((s + 1.0) + (c + m_low * (6.4 + 4.8 * m)));
  return copysign(v, x);
}
/* == softmax: needs maximum, exp_down == */
function softmax(...z) {
  const m = z.reduce(maximum);
  const e = z.map((v) => exp_down(v - m));
  const s = e.reduce((a, b) => a + b);
  return e.map((v) => v / s);
}
/* == log: needs absolute, bits == */
function log(x) {
  const a = absolute(x);
  const u = a < 2.2250738585072014e-308 ? a * 18014398509481984.0 : a;
  const bias = a < 2.2250738585072014e-308 ? 4503599627371573.0 : 4503599627371519.0;
  const low = low_bits(u);
  const high = high_bits(u);
  const e = (high + 0x00095f61 + (low + 0x9980c433 > 0xffffffff ? 1 : 0)) >>> 20;
  const k = from_bits(0x43300000, e) - bias;
  const m = from_bits(high - (e << 20) + 0x3ff00000, low);
  const f = m - 1.0;
  const s = f / (2.0 + f);
  const z = s * s;
  let q = 0.15314035190282466 + z * 0.1479611186642276;
  const h = 0.5 * f * f;
  q = 0.18183564892133203 + z * q;
  q = 0.22222198562983544 + z * q;
  q = 0.2857142874248006 + z * q;
  q = 0.39999999999414293 + z * q;
  q = 0.6666666666666734 + z * q;
  let v = s * (h + z * q) + k * 5.497923018708371e-14;
  v = k * 0.6931471805598903 - ((h - v) - f);
  v = a <= 1.7976931348623157e308 ? v : a;
  return a === 0.0 ? 0.0 : v;
}
/* == sum_error == */
/* What rounding took from s = a + b (Knuth). */
function sum_error(a, b, s) {
  const c = s - a;
  return (a - (s - c)) + (b - c);
}
/* == product_error == */
/* What rounding took from p = a * b (Veltkamp, Dekker). */
function product_error(a, b, p) {
  const c = a * 134217729.0;
  const d = b * 134217729.0;
  const ah = c - (c - a);
  const bh = d - (d - b);
  const al = a - ah;
  const bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}
/* == turn: needs absolute, bits, sum_error == */
/* sin(x + quarter * pi/2), and of 0 in place of an x out of the domain. */
function turn(x, quarter) {
  const y = absolute(x) <= 1000000.0 ? x : 0.0;
  const t = y * 0.6366197723675814 + 6755399441055744.0;
  const k = t - 6755399441055744.0;
  const n = low_bits(t) + quarter;
  const h1 = y - k * 1.5707963267341256;
  const b2 = k * 6.077100506303966e-11;
  const h2 = h1 - b2;
  const e2 = sum_error(h1, -b2, h2);
  const b3 = k * 2.0222662487111665e-21;
  const h3 = h2 - b3;
  const e3 = sum_error(h2, -b3, h3);
  const low = (e2 + e3) - k * 8.4784276603689e-32;
  const r = h3 + low;
  const d = (h3 - r) + low;
  const z = r * r;
  const h = 0.5 * z;
  const w = 1.0 - h;
  let p = -2.5050758113532378e-08 + z * 1.589679549745234e-10;
  let q = 2.0875723307482948e-09 + z * -1.1359649494725844e-11;
  p = 2.755731369191356e-06 + z * p;
  q = -2.755731435259117e-07 + z * q;
  p = -0.00019841269829807813 + z * p;
  q = 2.4801587289483072e-05 + z * q;
  p = 0.008333333333322413 + z * p;
  q = -0.0013888888888874125 + z * q;
  p = -0.16666666666666632 + z * p;
  q = 0.0416666666666666 + z * q;
  const sine = r + (z * r * p + d * w);
  const cosine = w + (((1.0 - w) - h) + (z * z * q - r * d));
  let v = (n & 1) === 0 ? sine : cosine;
  v = (n & 2) === 0 ? v : -v;
  return x !== x ? x : v;
}
/* == sin: needs turn == */
function sin(x) {
  const v = turn(x, 0);
  return x === 0.0 ? x : v;
}
/* == cos: needs turn == */
function cos(x) {
  return turn(x, 1);
}
/* == power: needs absolute, bits, exp_sum, product_error, sum_error == */
/* |x|^b = exp(b * log|x|) with the logarithm and the product as sums of two doubles. */
function power(x, b) {
  const a = absolute(x);
  const u = a < 2.2250738585072014e-308 ? a * 18014398509481984.0 : a;
  const bias = a < 2.2250738585072014e-308 ? 4503599627371573.0 : 4503599627371519.0;
  const low = low_bits(u);
  const high = high_bits(u);
  const e = (high + 0x00095f61 + (low + 0x9980c433 > 0xffffffff ? 1 : 0)) >>> 20;
  const k = from_bits(0x43300000, e) - bias;
  const m = from_bits(high - (e << 20) + 0x3ff00000, low);
  const f = m - 1.0;
  const g = m + 1.0;
  const g_low = sum_error(m, 1.0, g);
  const s = f / g;
  const sg = s * g;
  const s_low = (((f - sg) - product_error(s, g, sg)) - s * g_low) / g;
  const z = s * s;
  const z_low = product_error(s, s, z) + 2.0 * s * s_low;
  let q = 0.05837409588627797 + z * 0.05994504672492568;
  q = 0.06668158688379339 + z * q;
  q = 0.07692278436125195 + z * q;
  q = 0.09090909435148431 + z * q;
  q = 0.11111111108768279 + z * q;
  q = 0.14285714285722556 + z * q;
  q = 0.1999999999999999 + z * q;
  q = z * q;
  let c = 0.3333333333333333 + q;
  let v = z * c;
  let v_low = z * (((0.3333333333333333 - c) + q) + 1.850371707708594e-17) + z_low * c;
  v_low = product_error(z, c, v) + v_low;
  let w = s * v;
  const w_low = product_error(s, v, w) + (s * v_low + s_low * v);
  const h = s + w;
  const h_low = ((s - h) + w) + (s_low + w_low);
  const y = k * 0.6931471805598903;
  let p = y + 2.0 * h;
  const y_low = ((y - p) + 2.0 * h) + (k * 5.497923018708371e-14 + 2.0 * h_low);
  const ln = p + y_low;
  const ln_low = (p - ln) + y_low;
  c = b > 36893488147419103232.0 ? 36893488147419103232.0 : b;
  c = c < -36893488147419103232.0 ? -36893488147419103232.0 : c;
  p = c * ln;
  v = exp_sum(p, product_error(c, ln, p) + c * ln_low);
  w = b < 0.0 ? 0.0 : 1.0;
  w = b > 0.0 ? a : w;
  v = a > 1.7976931348623157e308 ? w : v;
  w = b === 0.0 ? 1.0 : 0.0;
  v = a === 0.0 ? w : v;
  v = b !== b ? b : v;
  return a !== a ? a : v;
}
