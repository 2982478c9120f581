package ir

// ControlCos is the cos that network control traffic usually has; [Home] puts no other traffic there.
const ControlCos = 7

// Home returns a function that returns the cos for unclaimed values of a cos: normally the same cos. If that cos is lossless, or is
// reserved and has no group, it returns the next higher cos that is neither, or else the next lower one. It skips the cos of strict queues:
// unclaimed values must neither become lossless nor starve others. reserved is -1 if there is no reserved cos.
func Home(groups []*CosGroup, reserved int) func(cos int) int {
	var owner [8]*CosGroup
	for _, g := range groups {
		if owner[g.Cos] == nil || g.Lossless {
			owner[g.Cos] = g
		}
	}
	free := func(cos int) bool {
		g := owner[cos]
		return (g == nil || !g.Lossless) && (cos != reserved || g != nil)
	}
	return func(cos int) int {
		if free(cos) {
			return cos
		}
		for _, c := range [...]int{
			cos + 1, cos + 2, cos + 3, cos + 4, cos + 5, cos + 6,
			cos - 1, cos - 2, cos - 3, cos - 4, cos - 5, cos - 6, cos - 7,
		} {
			if c >= 0 && c < ControlCos && free(c) && (owner[c] == nil || !owner[c].Strict) {
				return c
			}
		}
		for c := range 8 {
			if free(c) {
				return c
			}
		}
		return cos // every cos is lossless: there is no better place
	}
}
