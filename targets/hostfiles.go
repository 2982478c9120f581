package targets

import (
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// takeHost takes a file that no linter takes by its form or its name, if it is what tools of a host print, or what sets the NICs of one.
func (j *judging) takeHost(i int) bool {
	f := j.files[i]
	if f.Why != "" || j.linters.Knows(f.Name) || j.linters.Of(f).Takes != nil {
		return false
	}
	own := tools.Understand(target.Identity{}, map[string][]byte{f.Name: f.Data})
	if len(own.Coverage.Means) == 0 {
		return false
	}
	j.read[i] = reading{own: own, host: true}
	return true
}

// hosts reports the files of hosts: each by its own reason, and all of them by one finding. Rows that another file of the host explains
// are understood.
func (j *judging) hosts() {
	const brief = "rocec has no rule about hosts without a fabric"
	var all []int
	for _, d := range devicesOf(j.files) {
		contents := map[string][]byte{}
		for _, i := range d.files {
			if j.read[i].host {
				contents[j.files[i].Name] = j.files[i].Data
			}
		}
		for _, i := range d.files {
			if !j.read[i].host {
				continue
			}
			c := &j.read[i].own.Coverage
			if len(contents) > 1 {
				c.Not = slices.DeleteFunc(tools.Understand(target.Identity{}, contents).Coverage.Not, func(n target.NotRead) bool {
					return n.At.Filename != j.files[i].Name
				})
			}
			j.taken[i] = lint.Taken{
				Dialect: "settings of the NICs of a host", Brief: brief, Understood: parts(c), Device: d.name, Moment: j.taken[i].Moment,
				Why: fmt.Sprintf("rocec understands %d of its %s%s, and has no rule about hosts without a fabric", c.Rows-len(c.Not),
					diag.Count(c.Rows, "row"), whatHost(j.read[i].own)),
			}
			if why := j.tooLarge(j.files[i]); why != "" {
				j.taken[i].Why, j.taken[i].Understood = why, nil
			}
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	first := j.files[all[0]].Name
	d := lint.NotJudged(first, j.taken[all[0]].Why, "Its switches can be judged by their files.")
	for n, i := range all[1:] {
		if n == mostHosts {
			d.Note(diag.Range{}, "The same holds for %s of hosts.", diag.Count(len(all)-1-n, "further file"))
			break
		}
		d.Note(diag.Range{}, "%s is not judged: %s.", diag.Escape(j.files[i].Name), j.taken[i].Why)
	}
	j.found = append(j.found, d)
}

// mostHosts is how many further files of hosts a finding names.
const mostHosts = 20

// whatHost lists the fields that a script or a file of the boot sets, or reports that a capture shows no RoCE.
func whatHost(u *target.Understood) string {
	if u.Settings.Moment == ir.Stored {
		var fields []string
		for _, p := range parts(&u.Coverage) {
			if p.Means {
				fields = append(fields, p.What)
			}
		}
		const most = 5
		return ", which set " + diag.Some(fields, most)
	}
	if plainHost(u) {
		return ", which show no RoCE configuration at all"
	}
	return ""
}

// plainHost reports whether captures of a host show each NIC, with neither pauses nor trust in DSCP, and nothing of marks.
func plainHost(u *target.Understood) bool {
	c, s := &u.Coverage, u.Settings
	if !c.Whole() || len(s.Ports) == 0 || s.RoCE() || c.Aside[nic.Congestion]+c.Means[ir.FieldStamps] > 0 {
		return false
	}
	for _, p := range s.Ports {
		quiet := p.PausesKnown || c.Means[ir.FieldLinkPause] == 0 && p.Detail.Get().PFC == ir.Of(uint8(0))
		if !quiet || !p.TrustKnown || p.Trust.DSCP {
			return false
		}
	}
	return true
}
