private static void softmax({double|float}[] z) {
    {double|float} m = z[0];
    for (int i = 1; i < z.length; i++) {
        m = maximum(m, z[i]);
    }
    {double|float} s = {0.0|0.0f};
    for (int i = 0; i < z.length; i++) {
        z[i] = expDown(z[i] - m);
        s += z[i];
    }
    for (int i = 0; i < z.length; i++) {
        z[i] /= s;
    }
}
