fn softmax(z: &mut [{f64|f32}]) {
    let m = z.iter().skip(1).fold(z[0], |m, &v| maximum(m, v));
    let mut s = 0.0;
    for v in z.iter_mut() {
        *v = exp_down(*v - m);
        s += *v;
    }
    for v in z.iter_mut() {
        *v /= s;
    }
}
