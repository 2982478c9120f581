package nic

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// claims returns the questions that documents leave open about every host, and about the first NIC of the family. One NIC answers for all.
func (f *Family) claims(d *ir.Device) []target.Claim {
	ours := Of(d, f.Driver)
	if len(ours) == 0 {
		return nil
	}
	n := ours[0]
	out := []target.Claim{
		{
			ID: "host-pause-text", Says: "`ethtool -a` prints lines RX: and TX: with on or off.",
			Source: "ethtool of 6.1 prints them; drivers may refuse",
			Query:  target.Query{Cmd: "ethtool -a " + Quote(n.Name)},
			Judge: func(answer []byte) target.Verdict {
				text := string(answer)
				return target.Decide(!unasked(answer), pauseLine("RX").MatchString(text) && pauseLine("TX").MatchString(text))
			},
		},
		{
			ID: "host-pause-json", Says: "`ethtool --json -a` prints a list of one object, with rx and tx as true or false.",
			Source: "the manual page of ethtool 6.1 has --json; no document prints the object",
			Query:  target.Query{Cmd: "ethtool --json -a " + Quote(n.Name)},
			Judge: func(answer []byte) target.Verdict {
				var list []struct{ RX, TX *bool }
				err := json.Unmarshal(answer, &list)
				return target.Decide(!unasked(answer), err == nil && len(list) == 1 && list[0].RX != nil && list[0].TX != nil)
			},
		},
		{
			ID: "host-cma-tos", Says: "The kernel has default_roce_tos beside default_roce_mode.",
			Source: "Linux since about 4.11; not confirmed. The folders exist only after a program has made them",
			Query:  target.Query{Cmd: "ls /sys/kernel/config/rdma_cm/*/ports/*"},
			Judge: func(answer []byte) target.Verdict {
				text := string(answer)
				return target.Decide(strings.Contains(text, "default_roce_mode"), strings.Contains(text, "default_roce_tos"))
			},
		},
	}
	if f.Claims != nil {
		out = append(out, f.Claims(n)...)
	}
	return out
}

func pauseLine(direction string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^` + direction + `:\s+(on|off)$`)
}

// unasked reports whether the device gave no answer: the program is missing, or fails.
func unasked(answer []byte) bool {
	text := string(answer)
	return strings.TrimSpace(text) == "" || strings.Contains(text, "(exit status ")
}

// NamesClaim returns a claim that certain counters exist. Its query prints the existing names, one on each line. A name that begins with
// first shows that the names were read.
func NamesClaim(id, says, source string, q target.Query, first string, want ...string) target.Claim {
	return target.Claim{ID: id, Says: says, Source: source, Query: q, Judge: func(answer []byte) target.Verdict {
		have := strings.Fields(string(answer))
		some := slices.ContainsFunc(have, func(w string) bool { return strings.HasPrefix(w, first) })
		return target.Decide(some, !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) }))
	}}
}
