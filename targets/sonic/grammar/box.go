package grammar

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// BoxOf returns the facts for the allow-list from the state of a switch. If the state lacks its version or the kind of its chip,
// BoxOf takes them from the fabric. The error is a part of a sentence.
func BoxOf(c *Config, version, asicType string) (Box, error) {
	own := c.Row(VersionTable, "localhost")
	if text := own.Get("build_version"); text != "" {
		version = text
	}
	if text := own.Get("asic_type"); text != "" {
		asicType = text
	}
	v, err := ParseVersion(version)
	if err != nil {
		return Box{}, err
	}
	hwsku := c.Get("DEVICE_METADATA", "localhost", "hwsku")
	return Box{Version: v, Family: FamilyOf(v.Release, asicType, hwsku), HwSKU: hwsku}, nil
}

// ASICs returns the number of chips in the state of a switch; 0: the state does not contain it.
func ASICs(c *Config) int {
	n, err := strconv.Atoi(c.Get(VersionTable, "localhost", "asic_count"))
	if err != nil {
		return 0
	}
	return n
}

// Sizes is a row of the file pg_profile_lookup.ini: what the buffer manager reserves for a priority group.
type Sizes struct {
	Size, Xon, Xoff, Threshold string
	XonOffset                  string // empty: the file has no such column
}

// Lookup is the file pg_profile_lookup.ini of a switch, by speed in Mb/s and length in metres.
type Lookup map[int]map[int]Sizes

// LookupOf returns the lookup file in a state; nil: the state has no such file. The result has no lengths if the file has no valid row.
func LookupOf(c *Config) Lookup {
	keys := c.Keys(LookupTable)
	if c.Tables[LookupTable] == nil {
		return nil
	}
	out := Lookup{}
	for _, key := range keys {
		s, l, _ := strings.Cut(key, "|")
		speed, err := strconv.Atoi(s)
		metres, ok := ParseMetres(l)
		if err != nil || !ok {
			continue
		}
		if out[speed] == nil {
			out[speed] = map[int]Sizes{}
		}
		r := c.Row(LookupTable, key)
		out[speed][metres] = Sizes{r.Get("size"), r.Get("xon"), r.Get("xoff"), r.Get("threshold"), r.Get("xon_offset")}
	}
	return out
}

// Lengths lists the lengths of a speed, the shortest first.
func (l Lookup) Lengths(speed int) []int {
	var out []int
	for m := range l[speed] {
		if m > 0 { // a length of 0 turns buffers of the port off
			out = append(out, m)
		}
	}
	slices.Sort(out)
	return out
}

// Reach returns the shortest length for a speed that is at least as long as a cable; 0 if there is no such length.
func (l Lookup) Reach(speed int, metres float64) int {
	for _, m := range l.Lengths(speed) {
		if m >= int(math.Ceil(metres)) {
			return m
		}
	}
	return 0
}

// ProfileName returns the name of the profile that the buffer manager makes for a port in the traditional model.
func ProfileName(speed, metres int) string {
	return fmt.Sprintf("pg_lossless_%d_%dm_profile", speed, metres)
}

// ParseProfileName reads the result of [ProfileName]: the speed in Mb/s and the length in metres of the ports that use the profile.
func ParseProfileName(profile string) (speed, metres int, ok bool) {
	rest, _ := strings.CutPrefix(profile, "pg_lossless_")
	s, l, _ := strings.Cut(rest, "_")
	l, _ = strings.CutSuffix(l, "_profile")
	metres, ok = ParseMetres(l)
	speed, err := strconv.Atoi(s)
	return speed, metres, err == nil && ok && ProfileName(speed, metres) == profile
}

// Pool is the pool of arriving lossless traffic. The buffer manager looks for this name.
const Pool = "ingress_lossless_pool"
