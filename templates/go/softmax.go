func softmax(z []{float64|float32}) {
	m := z[0]
	for _, v := range z[1:] {
		m = maximum(m, v)
	}
	var s {float64|float32}
	for i, v := range z {
		z[i] = expDown(v - m)
		s += z[i]
	}
	for i := range z {
		z[i] /= s
	}
}
