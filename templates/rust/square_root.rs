// Of a number that is not negative. Correctly rounded, digit by digit: what the instruction of a
// machine gives, if it has one.
fn square_root(a: {f64|f32}) -> {f64|f32} {
    let is_small = a < {2.2250738585072014e-308|1.1754944e-38};
    let u = if is_small { a * {18014398509481984.0|16777216.0} } else { a };
    let back = if is_small { {7.450580596923828e-09|0.00024414062} } else { 1.0 };
    let n = u.to_bits();
    let e = n >> {52|23};
    if n == 0 || e == {2047|255} {
        return a;
    }
    let mut m = (n & {0x000f_ffff_ffff_ffff|0x007f_ffff}) | (1 << {52|23});
    m <<= if e & 1 == 0 { 2 } else { 1 };
    let (mut q, mut s) = (0, 0);
    for place in (0..={53|24}).rev() {
        let r = 1 << place;
        let t = s + r;
        if t <= m {
            s = t + r;
            m -= t;
            q += r;
        }
        m <<= 1;
    }
    if m != 0 {
        q += q & 1; // never half way
    }
    {f64|f32}::from_bits((q >> 1) + (((e + {1021|125}) >> 1) << {52|23})) * back
}
