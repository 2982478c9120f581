package ir

// ControlCos is the cos that traffic of the network itself has by custom; [Home] sends nothing of others there.
const ControlCos = 7

// Home gives the cos that a device is to give values of a cos that no group claims: that cos itself. If that cos is lossless, or is the
// reserved one without a group, it gives the next cos above that is neither, or else below. It never gives a strict queue's: unclaimed
// values must neither become lossless nor starve others. Reserved is -1 without a reserved cos.
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
