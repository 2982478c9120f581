package deploy

import (
	"cmp"
	"fmt"

	"github.com/rocec/rocec/targets/target"
)

// Reported returns the state of a device from the device's own report, as if rocec had read the device. The state contains live states,
// hashes of files, and the answers of the probes in the report. It is pure.
func Reported(d *target.Device, r *target.Report) *Have {
	h := &Have{Device: d, Boot: r.Boot, Count: -1}
	var said target.Reported
	if d.Target.Reported != nil {
		said = d.Target.Reported(d.Source, r)
	}
	for i := range d.Files {
		f := &d.Files[i]
		var c Content
		sum, there := r.Files[f.Path]
		switch {
		case f.Live != nil:
			c.Data = said.States[f.Path]
		case there && sum == "":
			c.Reason = "the report lacks its content"
		case there:
			if should, ds := f.Edit(nil); !ds.HasErrors() && Sum(should) == sum {
				c.Data = should
			} else {
				c.Sum = sum
			}
		}
		if rights, told := ParseRights(r.Rights[f.Path]); told && f.Live == nil {
			c.Rights = &rights
		}
		h.Files = append(h.Files, c)
	}
	for _, p := range d.Identity {
		if answer, is := said.Answers[p.Name]; is && p.Judge != nil {
			h.Wrong = append(h.Wrong, p.Judge(answer)...)
		}
	}
	for _, p := range d.Probes {
		if answer, is := said.Answers[p.Name]; is && p.Judge != nil {
			h.Probes = append(h.Probes, Judged{Name: p.Name, Wrong: p.Judge(answer)})
		}
	}
	h.Probes = append(h.Probes, Judged{Name: "report", Wrong: said.Wrong})
	return h
}

// sum returns the SHA-256 of the content.
func (c *Content) sum() string { return cmp.Or(c.Sum, Sum(c.Data)) }

// Misreported is a device whose report cannot be used, with the reason.
func Misreported(d *target.Device, why error) *Have {
	return &Have{Device: d, Wrong: []string{fmt.Sprintf("The report of %s is not used: %s.", d.Name, target.Escape(why.Error()))}}
}
