package nic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

// The reasons why a line of a value file is not understood.
const (
	noKey   = "no such key in a value file"
	noSense = "the key cannot have this value"
)

// IsValues reports whether a path is the path of a value file, or the name of a state that show printed. It returns the NIC.
func IsValues(path string) (netdev string, is bool) {
	path = strings.TrimPrefix(path, "/")
	if name, ok := strings.CutPrefix(path, steps.StateName("")); ok && !strings.Contains(name, "/") {
		return name, name != ""
	}
	i := strings.LastIndex("/"+path, steps.ConfDir)
	if i < 0 {
		return "", false
	}
	name, ok := strings.CutSuffix(("/" + path)[i+len(steps.ConfDir):], ".conf")
	return name, ok && name != "" && !strings.Contains(name, "/")
}

// UnderstandValues reads a value file, or the output of show, as the settings of one NIC. rows contains the rows of all families. place is
// called with the position of each field; index is a DSCP, or -1 for the whole field. If two lines have the same key, the first counts.
func UnderstandValues(path string, text []byte, rows []Row, place func(f ir.Field, index int, at diag.Range)) (ir.PortSettings,
	target.Coverage,
) {
	var c target.Coverage
	number := 0
	seen := map[string]bool{}
	Lines(text, func(line []byte, key, value string, ok bool) {
		number++
		at := diag.Range{Filename: path}
		at.Start.Line, at.Start.Column, at.End.Line, at.End.Column = number, 1, number, len(line)+1
		row := string(line)
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Key == key })
		_, absent := Cannot(value)
		switch {
		case strings.TrimSpace(row) == "" || strings.HasPrefix(strings.TrimSpace(row), "#"):
		case ok && strings.HasPrefix(key, steps.VFKey):
			c.Leave(NoPriority)
		case !ok || i < 0:
			c.Miss(row, noKey, at)
		case seen[key]:
			c.Leave("an earlier line with this key counts")
		case absent || value == "missing":
			c.Leave("the NIC has no such setting, or no value for it")
		case rows[i].Means == ir.NoField:
			c.Leave(rows[i].Aside)
		case !sensible(rows[i].Means, value):
			c.Miss(row, noSense, at)
		default:
			c.Mean(rows[i].Means)
			place(rows[i].Means, -1, at)
			if rows[i].Means == ir.FieldDSCP {
				var to [64]int8
				readRanges(to[:], value, 1)
				for v, is := range to {
					if is == 1 {
						place(ir.FieldDSCP, v, at)
					}
				}
			}
		}
		seen[key] = true
	})
	return readValues(text), c
}

// sensible reports whether a field can have a value.
func sensible(f ir.Field, value string) bool {
	within := func(word string, most int) bool {
		n, err := strconv.Atoi(word)
		return err == nil && n >= 0 && n <= most
	}
	eight := func(is func(word string) bool) bool {
		words, ok := readEight(value)
		return ok && !slices.ContainsFunc(words, func(w string) bool { return !is(w) })
	}
	switch f {
	case ir.FieldPauses:
		return eight(func(w string) bool { return w == "0" || w == "1" })
	case ir.FieldQueue:
		return eight(func(w string) bool { return within(w, 7) })
	case ir.FieldShare:
		return eight(func(w string) bool { return within(w, 100) })
	case ir.FieldStrict:
		return eight(func(w string) bool { return slices.Contains([]string{"ets", "strict", "vendor"}, w) })
	case ir.FieldTrust:
		return value == "dscp" || value == "pcp"
	case ir.FieldLinkPause:
		return slices.Contains([]string{"on", "off", "rx", "tx"}, value)
	case ir.FieldMTU, ir.FieldCable:
		return within(value, 1<<20)
	case ir.FieldStamps:
		return value == "off" || value == "none" || within(value, 255) || strings.Contains(value, "tclass=")
	case ir.FieldDSCP:
		return value == "none" || !slices.ContainsFunc(strings.Split(value, ","), func(item string) bool {
			first, last, ranged := strings.Cut(item, "-")
			return !within(first, 63) || ranged && !within(last, 63)
		})
	}
	return value != ""
}
