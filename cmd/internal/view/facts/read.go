package facts

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

// Read shows the values of a device that were read and are not the wanted ones, each beside the wanted one: of a port, or of the whole
// device for an empty name.
func Read(r *targets.DeviceRead, port string) Section {
	s := Section{Title: "read, beside what is wanted"}
	all, whole := r.Unwanted(port)
	for _, v := range all {
		from := []ir.Origin{{At: v.At}}
		if v.Why != "" {
			from = append(from, ir.Origin{Why: v.Why})
		}
		s.Add(diag.Escape(v.Name), diag.Escape(v.Wanted), from...)
		s.Settings[len(s.Settings)-1].Read = diag.Escape(v.Read)
	}
	if len(all) == 0 {
		s.Add("differences", "none", ir.Origin{Why: "every value that both the files and the fabric have is the same"})
	}
	if !whole {
		s.Add("not compared", "further ports", ir.Origin{Why: "they are of more than 1,024 kinds"})
	}
	c := &r.Coverage
	if n := len(c.Not); n > 0 {
		s.Add("not understood", fmt.Sprintf("%d of %s", n, diag.Count(c.Rows, "row")), ir.Origin{At: c.Not[0].At, Why: diag.Escape(c.Not[0].Why)})
	}
	if c.Part != "" {
		s.Add("a part", diag.Escape(c.Part), ir.Origin{Why: "values that it leaves out are not known"})
	}
	for _, why := range r.Not {
		s.Add("not read", diag.Escape(why))
	}
	for _, name := range r.Files {
		s.Add("read from", name)
	}
	return s
}
