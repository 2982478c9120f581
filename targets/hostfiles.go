package targets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/nicoperator"
	"github.com/rocec/rocec/targets/nic/tools"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// isHost reports whether no linter accepts a file by its form or its name, and the file has output or commands of a host's tools.
func (j *judging) isHost(f lint.File) bool {
	if f.Why != "" || j.linters.Knows(f.Name) || j.linters.Of(f).Takes != nil {
		return false
	}
	if nicoperator.Is(f.Data) {
		return true
	}
	contents := map[string][]byte{f.Name: f.Data}
	for _, id := range []target.Identity{{}, {Ports: []string{"eth0"}}} { // an output may omit the interface: a host may have only one
		if len(tools.Understand(id, contents).Coverage.Means) > 0 {
			return true
		}
	}
	return false
}

// hostsOf sets the reason why each file of a host is not judged. A row counts as understood if another file of the host explains it.
//
// A host of a fabric is compared with the settings that the fabric wants.
func (j *judging) hostsOf(d *device) {
	contents := map[string][]byte{}
	for _, i := range d.files {
		if j.read[i].host {
			contents[j.files[i].Name] = j.files[i].Data
		}
	}
	if len(contents) == 0 {
		return
	}
	not := map[string][]target.NotRead{}
	whole := wholeHost(j, d, contents)
	if len(contents) > 1 {
		for _, n := range whole.Coverage.Not {
			not[n.At.Filename] = append(not[n.At.Filename], n)
		}
	}
	judged, unclear := false, ""
	if j.fabric != nil && d.of != nil {
		besideFabric(j, d, whole)
		judged, unclear = tells(whole.Settings, d.of), unclearPauses(whole.Settings, d.of)
	}
	for _, i := range d.files {
		if !j.read[i].host {
			continue
		}
		c := &j.read[i].own.Coverage
		if len(contents) > 1 {
			c.Not = not[j.files[i].Name]
		}
		taken := &j.taken[i]
		rule := "rocec has no rule about hosts without a fabric"
		if j.made != nil {
			rule = "no cable leads to the host"
		}
		taken.Dialect, taken.Brief, taken.Host = "settings of the NICs of a host", rule, true
		taken.Understood = parts(c)
		if j.fabric != nil && d.of != nil {
			if taken.Why, taken.Brief = missedRows(c), ""; !judged {
				taken.Why = cmp.Or(taken.Why, "it states neither pauses nor trust of a port that the fabric has")
			} else {
				if taken.Why == "" && c.Means[ir.FieldPauses] > 0 {
					taken.Why = unclear
				}
				taken.Part = taken.Why != ""
			}
			if why := j.tooLarge(j.files[i]); why != "" {
				taken.Why, taken.Understood = why, nil
			}
			continue
		}
		if j.fabric == nil && tools.IsValueFile(j.files[i].Name) && c.Whole() { // a value file is judged with the fabric that wrote it
			taken.Beside = true
			continue
		}
		taken.Why = fmt.Sprintf("rocec understands %d of its %s%s, and %s", c.Rows-len(c.Not), diag.Count(c.Rows, "row"),
			whatHost(j.read[i].own), strings.Replace(rule, "rocec has", "has", 1))
		if why := j.tooLarge(j.files[i]); why != "" {
			taken.Why, taken.Understood = why, nil
		}
	}
}

// wholeHost reads the files of a host together. A single file was already read.
func wholeHost(j *judging, d *device, contents map[string][]byte) *target.Understood {
	if len(contents) == 1 {
		for _, i := range d.files {
			if r := &j.read[i]; r.host && r.own != nil {
				return r.own
			}
		}
	}
	return tools.Understand(j.id, contents)
}

// tells reports whether settings state pauses or trust of a port of a fabric's host, or, at a port without a lossless class, any wanted
// value.
func tells(s *ir.Settings, d *ir.Device) bool {
	wanted := d.Wanted()
	return slices.ContainsFunc(d.Ports, func(p *ir.Port) bool {
		is, want := s.Port(p.Name), wanted.Port(p.Name)
		switch {
		case is == nil || want == nil:
			return false
		case want.Sends|want.Obeys != 0:
			return is.PausesKnown || is.TrustKnown || is.Detail.Get().PFC.Known()
		}
		has := valuesOf(is)
		for v := range want.Values() {
			if _, known := has[named(v)]; known {
				return true
			}
		}
		return false
	})
}

// unclearPauses returns, as part of a sentence, the ports of a host whose PFC is on while the files do not show that the port pauses by
// priority: link pause is on, too, or the type of pauses is not known. Empty: no port is unclear.
func unclearPauses(s *ir.Settings, d *ir.Device) string {
	wanted := d.Wanted()
	var names []string
	for _, p := range d.Ports {
		is, want := s.Port(p.Name), wanted.Port(p.Name)
		if is == nil || want == nil || want.LinkPause || want.Sends|want.Obeys == 0 || is.PausesKnown {
			continue
		}
		if pfc := is.Detail.Get().PFC; pfc.Known() && pfc.Value != 0 {
			names = append(names, diag.Escape(p.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "PFC is on at " + strings.Join(names, ", ") + ", beside link pause or pauses of an unknown type"
}

// reportHosts reports the files of hosts by one finding.
func (j *judging) reportHosts() {
	var report *diag.Diagnostic
	further := 0
	for i, f := range j.files {
		switch why := j.taken[i].Why; {
		case !j.read[i].host || why == "":
		case report == nil:
			report = lint.NotJudged(f.Name, why, hostAdvice(j.taken[i].Part, j.fabric != nil))
			j.found = append(j.found, report)
		default:
			if further++; further <= mostHosts {
				report.Note(diag.Range{}, "%s is not judged: %s.", diag.Escape(f.Name), why)
			}
		}
	}
	if further > mostHosts {
		report.Note(diag.Range{}, "The same holds for %s of hosts.", diag.Count(further-mostHosts, "further file"))
	}
}

// hostAdvice returns what judges the rest of a host's file, as a sentence. part: rocec reads a part of the file.
func hostAdvice(part, fabric bool) string {
	switch {
	case part:
		return "Its other values are compared with the fabric."
	case !fabric:
		return "Name a fabric that has the host: rocec validate DIR --device-config PATH."
	}
	return "A host is judged if the fabric has it and a cable connects it."
}

// mostHosts limits the further files of hosts that a finding names.
const mostHosts = 20

// whatHost lists the fields that a script or a boot file sets, or states that output of tools shows no RoCE.
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

// plainHost reports whether output of a host's tools shows each NIC without pauses, trust in DSCP and marks.
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
