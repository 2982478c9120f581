package platform

// UnsizedASIC is a known chip for which rocec derives no sizes of buffers.
type UnsizedASIC struct {
	Name    string
	Title   string
	Aliases []string
	Why     string // the missing facts, as a sentence
	Source  string
}

// UnsizedASICs is the table of these chips. No target writes for them.
var UnsizedASICs = []*UnsizedASIC{
	{
		Name: "trident5", Title: "Trident5", Aliases: []string{"td5"},
		Why:    "the size of its cells is not public, and no table of headroom is",
		Source: "BCM78800, 16 Tb/s: vendor, 2023",
	},
	{
		Name: "jericho3", Title: "Jericho3", Aliases: []string{"jericho3-ai", "j3", "j3ai"},
		Why: "it keeps packets in virtual output queues and in memory outside of the chip, so its headroom is another quantity than that of " +
			"a shared buffer",
		Source: "BCM88890 with ports of 800G and HBM: vendor, 2023",
	},
}

// FindUnsized returns the known chip without sizes that has a name; names are compared as in [FindASIC].
func FindUnsized(name string) (*UnsizedASIC, bool) {
	return find(UnsizedASICs, Fold(name), func(a *UnsizedASIC) (string, []string) { return a.Name, a.Aliases })
}

// Newer reports whether a name looks like a later generation of a series with known names, such as tomahawk7. Its number is greater than
// every known number, and at most twice as great. A mistyped digit usually gives a larger difference.
func Newer(name string, known []string) bool {
	series, n := generation(name)
	newest := 0
	for _, k := range known {
		if s, m := generation(k); s == series {
			newest = max(newest, m)
		}
	}
	return series != "" && newest < n && n <= 2*newest
}

// generation splits a name into the letters and the number that it begins with: connectx and 9. Without both the letters are empty.
func generation(name string) (series string, n int) {
	name = Fold(name)
	i := 0
	for i < len(name) && 'a' <= name[i] && name[i] <= 'z' {
		i++
	}
	digits := i
	for i < len(name) && i < digits+6 && '0' <= name[i] && name[i] <= '9' {
		n = 10*n + int(name[i]-'0')
		i++
	}
	if i == digits {
		return "", 0
	}
	return name[:digits], n
}
