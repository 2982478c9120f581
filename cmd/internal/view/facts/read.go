package facts

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// mostRows is the maximum number of rows without a known meaning that are listed.
const mostRows = 20

// Read returns the values in the files of a device that differ from the wanted values, each with its wanted value. An empty port selects
// the whole device.
func Read(r *targets.DeviceRead, port string) Section {
	s := Section{Title: "read, compared with the wanted values"}
	c := r.Compare(port)
	for _, v := range c.Values {
		from := []ir.Origin{{At: v.At}}
		if v.Why != "" {
			from = append(from, ir.Origin{Why: v.Why})
		}
		s.Add(diag.Escape(v.Name), diag.Escape(v.Wanted), from...)
		s.Settings[len(s.Settings)-1].Read = diag.Escape(v.Read)
	}
	if len(c.Values) == 0 {
		s.Add("differences", "none", ir.Origin{Why: fmt.Sprintf("%s that the files state and the fabric wants", diag.Count(c.Compared, "value"))})
	}
	for _, what := range c.Unknown {
		s.Add("not known", diag.Escape(what), ir.Origin{Why: "the files have no value that can be read"})
	}
	if !c.Whole {
		s.Add("not compared", "further ports", ir.Origin{Why: "they are of more than 1,024 kinds"})
	}
	not := r.Coverage.Not
	for _, row := range not[:min(len(not), mostRows)] {
		s.Add("not understood", diag.Escape(diag.Cut(row.Row)), ir.Origin{At: row.At, Why: diag.Escape(row.Why)})
	}
	if more := len(not) - mostRows; more > 0 {
		s.Add("not understood", diag.Count(more, "further row"))
	}
	if part := r.Coverage.Part; part != "" {
		s.Add("a part", diag.Escape(part), ir.Origin{Why: "values that it leaves out are unknown"})
	}
	for _, why := range r.Not {
		s.Add("not read", diag.Escape(why))
	}
	for _, name := range r.Files {
		s.Add("read from", name)
	}
	return s
}
