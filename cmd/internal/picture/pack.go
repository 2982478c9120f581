package picture

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"sync"
)

// Most of a large page is similar devices, links and symbols. The page contains them as columns, which unpack.js turns into objects. A
// column of numbers contains runs, a column of names contains nodesets; values without a pattern are written out.

// column is a list of numbers. In JSON an element is a number, or [first, step, count] for a run of numbers.
type column []int

// leastRun is the length of the shortest run that is written with brackets.
const leastRun = 4

func (c *column) add(n int) { *c = append(*c, n) }

// MarshalJSON writes runs where there are some.
func (c column) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i := 0; i < len(c); {
		end := i + 1
		step := 0
		if end < len(c) {
			step = c[end] - c[i]
			for end < len(c) && c[end]-c[end-1] == step {
				end++
			}
		}
		if i > 0 {
			out = append(out, ',')
		}
		if n := end - i; n >= leastRun {
			out = fmt.Appendf(out, "[%d,%d,%d]", c[i], step, n)
			i = end
			continue
		}
		out = strconv.AppendInt(out, int64(c[i]), 10)
		i++
	}
	return append(out, ']'), nil
}

// names is an ordered list of device names. In JSON, names that count up become a nodeset: p1-leaf[01-64]. The last bracket counts
// fastest.
type names []string

// MarshalJSON writes the nodesets.
func (n names) MarshalJSON() ([]byte, error) { return json.Marshal(foldInOrder(n)) }

// digits splits a name into text and numbers. It skips folded parts.
var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\]]*\]|[0-9]{1,9}`) })

// foldInOrder folds consecutive names that differ in one number, which counts up. It folds from right to left, so that expansion returns
// the names in their order.
func foldInOrder(all []string) []string {
	for {
		var out []string
		for i := 0; i < len(all); {
			end, folded := foldRun(all[i:])
			out = append(out, folded)
			i += end
		}
		if len(out) == len(all) {
			return out
		}
		all = out
	}
}

// foldRun folds the longest run at the beginning of names that has a number counting up, left of everything that is folded.
func foldRun(all []string) (n int, folded string) {
	if len(all) < 2 {
		return 1, all[0]
	}
	first := all[0]
	for _, at := range digits().FindAllStringIndex(first, -1) {
		if first[at[0]] == '[' {
			break
		}
		before, number, after := first[:at[0]], first[at[0]:at[1]], first[at[1]:]
		from, _ := strconv.Atoi(number)
		n := 1
		for n < len(all) && all[n] == before+counting(from+n, number)+after {
			n++
		}
		if n > 1 {
			return n, fmt.Sprintf("%s[%s-%s]%s", before, number, counting(from+n-1, number), after)
		}
	}
	return 1, first
}

// counting formats a number like the first one: with the same number of digits if the first one has leading zeros.
func counting(n int, first string) string {
	if first[0] == '0' {
		return fmt.Sprintf("%0*d", len(first), n)
	}
	return strconv.Itoa(n)
}

// packedLinks contains links as columns.
type packedLinks struct {
	Ports []string  `json:"ports"` // their names
	A     packedEnd `json:"a"`
	B     packedEnd `json:"b"`
	Table column    `json:"table"`
	Flags column    `json:"flags"` // 1: lossless, 2: planned
}

type packedEnd struct {
	Device column `json:"device"`
	Port   column `json:"port"` // of Ports
	Table  column `json:"table"`
}

func packLinks(links []pageLink) packedLinks {
	out := packedLinks{Ports: []string{}}
	known := map[string]int{}
	end := func(to *packedEnd, e pageEnd) {
		i, ok := known[e.Port]
		if !ok {
			i = len(out.Ports)
			known[e.Port] = i
			out.Ports = append(out.Ports, e.Port)
		}
		to.Device.add(e.Device)
		to.Port.add(i)
		to.Table.add(e.Table)
	}
	for _, l := range links {
		end(&out.A, l.A)
		end(&out.B, l.B)
		out.Table.add(l.Table)
		out.Flags.add(boolInt(l.Lossless) + 2*boolInt(l.Planned))
	}
	return out
}

// packedSymbols contains symbols as columns, each symbol before its parts.
type packedSymbols struct {
	Parts  column   `json:"parts"` // how many
	Device column   `json:"device"`
	Host   column   `json:"host"`
	X      column   `json:"x"`
	Y      column   `json:"y"`
	W      column   `json:"w"`
	H      column   `json:"h"`
	Labels []string `json:"labels"` // labels of symbols with parts; other symbols have the name of their device
	Counts []string `json:"counts"` // the same
}

func packSymbols(symbols []pageSymbol) packedSymbols {
	out := packedSymbols{Labels: []string{}, Counts: []string{}}
	for _, s := range symbols {
		out.Parts.add(len(s.Parts))
		out.Device.add(s.Device)
		out.Host.add(boolInt(s.Host))
		out.X.add(s.X)
		out.Y.add(s.Y)
		out.W.add(s.W)
		out.H.add(s.H)
		if len(s.Parts) > 0 {
			out.Labels, out.Counts = append(out.Labels, s.Label), append(out.Counts, s.Count)
		}
	}
	return out
}

// packedDevices contains devices as columns, in the order of Device.ID.
type packedDevices struct {
	Names names  `json:"names"`
	Table column `json:"table"`
}

// packed is the written form of a page.
type packed struct {
	Rows     []pageRow     `json:"rows"`
	Devices  packedDevices `json:"devices"`
	Links    packedLinks   `json:"links"`
	Tables   [][]pageValue `json:"tables"`
	Symbols  packedSymbols `json:"symbols"`
	Letters  int           `json:"letters"` // of a label
	Base     []int         `json:"base"`
	Loops    []pageLoop    `json:"loops"`
	Verdicts []pageVerdict `json:"verdicts"`
}

func (p *page) pack() *packed {
	out := &packed{
		Rows: p.Rows, Links: packLinks(p.Links), Tables: p.Tables, Symbols: packSymbols(p.Symbols), Letters: mostLetters,
		Base: p.Base, Loops: p.Loops, Verdicts: p.Verdicts,
	}
	for _, d := range p.Devices {
		out.Devices.Names = append(out.Devices.Names, d.Name)
		out.Devices.Table.add(d.Table)
	}
	return out
}
