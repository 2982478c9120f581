package bgp

import (
	"slices"
	"strings"
)

// Lines decides line by line which lines of FRRouting's configuration are read and kept in a snapshot. Lines of other blocks, such as
// router ospf, and lines with passwords or descriptions are neither.
type Lines struct {
	inside bool // the last line without indent begins a block that is read
}

// mostRule is the number of words of the longest line of a route map, and mostPath that of a line with a prepended path: one word for each
// AS number.
const (
	mostRule = 64
	mostPath = 4096
)

// printed is the line above a configuration that vtysh prints, whose last line is end. A file has neither.
//
// Source: github.com/FRRouting/frr, vtysh/vtysh.c, vtysh_write_terminal.
const printed = "Current configuration:"

// Whole reports whether a text has lines of a configuration, and is no output of vtysh whose end is missing. A comment shows nothing: a
// file that is cut off can begin with it.
func Whole(data []byte) bool {
	var lines Lines
	some, begun, last := false, false, ""
	for line := range strings.Lines(string(data)) {
		some = lines.Keeps(line) || some
		if line = strings.TrimSpace(line); line != "" {
			begun, last = begun || line == printed, line
		}
	}
	return some && (!begun || last == "end")
}

// keptLines are the beginnings of the lines, and the most words of each. A line with more words has a comment, or is not known.
var keptLines = []struct {
	begins string
	most   int
}{
	{"bgp bestpath as-path", 5},
	{"bgp network import-check", 4},
	{"no bgp network import-check", 4},
	{"bgp listen range", 6},
	{"bgp confederation identifier", 4},
	{"address-family", 3},
	{"exit-address-family", 1},
	{"maximum-paths", 4},
	{"redistribute", 6},
	{"network", 6},
	{"aggregate-address", 10},
	{"match", mostRule},
	{"set as-path prepend", mostPath},
	{"set", mostRule},
	{"call", 2},
	{"continue", 2},
	{"on-match", 3},
	{"exit", 1},
}

// keptTops are lines without indent that are read. A block begins with the first two.
var keptTops = []struct {
	begins string
	most   int
}{
	{"router bgp", 8},
	{"route-map", 4},
	{"frr version", 3},
	{"frr defaults", 3},
	{"ip route", 8},
	{"ipv6 route", 8},
	{"exit", 1},
	{"end", 1},
	{printed, 2},
}

// keptNeighbours are the words after a neighbour, in addition to [filterWords] and [changeWords].
var keptNeighbours = []string{"remote-as", "interface", "peer-group", "activate", "allowas-in", "route-map", "default-originate"}

// mostNeighbour is the number of words of the longest line of a neighbour: neighbor PEER interface v6only remote-as external.
const mostNeighbour = 6

// Keeps reports whether a line that is not empty is read. The lines of a configuration follow each other.
func (c *Lines) Keeps(line string) bool {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	if words[0] == "!" {
		return len(words) == 1
	}
	joined := strings.Join(words[:min(len(words), mostNeighbour)], " ") + " "
	if line[0] != ' ' && line[0] != '\t' {
		c.inside = false
		for i, kept := range keptTops {
			if strings.HasPrefix(joined, kept.begins+" ") && len(words) <= kept.most {
				c.inside = i < 2
				return true
			}
		}
		return false
	}
	switch {
	case !c.inside:
		return false
	case words[0] == "neighbor" && len(words) == 3 && words[2] == "shutdown":
		return true
	case words[0] == "neighbor":
		return len(words) > 2 && len(words) <= mostNeighbour && (slices.Contains(keptNeighbours, words[2]) ||
			slices.Contains(filterWords, words[2]) || slices.Contains(changeWords, words[2]))
	}
	for _, kept := range keptLines {
		if strings.HasPrefix(joined, kept.begins+" ") {
			return len(words) <= kept.most
		}
	}
	return false
}
