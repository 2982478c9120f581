package targets

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/settings"
)

// reportFabric reports devices with files that are not in the fabric, and devices of the fabric without a file.
func reportFabric(j *judging) {
	if j.fabric == nil {
		return
	}
	has := map[*ir.Device][]string{}
	names := make([]string, len(j.fabric.Devices))
	for i, d := range j.fabric.Devices {
		names[i] = d.Name
	}
	for k := range j.devices {
		d := &j.devices[k]
		top := topOf(j, d)
		if d.of != nil {
			for _, one := range d.alike {
				has[one] = append(has[one], d.name)
			}
			if has[d.of] = append(has[d.of], d.name); len(has[d.of]) == 2 {
				topicDevice.Warnf(&j.found, top, "The files of %s and of %s both belong to %s. Only the first ones are compared with those of its "+
					"neighbours. Give rocec the files of one moment.", diag.Escape(has[d.of][0]), diag.Escape(d.name), d.of.Name)
			}
			continue
		}
		name := path.Base(d.name)
		switch file := j.files[d.files[0]].Name; {
		case d.other != "":
			topicDevice.Warnf(&j.found, top, "%s. It is judged by itself. Give rocec a file of that device, or correct the fabric.",
				diag.Escape(d.other))
		case name == path.Base(file) || name == ".":
			topicDevice.Warnf(&j.found, top, "No device of the fabric is named in %s: neither its folder nor its name nor its content names "+
				"one. It is judged by itself. Put it in a folder that is named after its device.", diag.Escape(file))
		default:
			if j.made != nil { // its content may state another name than its folder
				name = cmp.Or(j.made.Names[file], name)
			}
			topicDevice.Warnf(&j.found, top, "The fabric has no device %q.%s Its files are judged by themselves.", diag.Cut(name),
				diag.DidYouMean(name, names))
		}
	}
	var without []string
	at := j.fabric.At
	for _, d := range j.fabric.Devices {
		if has[d] == nil {
			if len(without) == 0 {
				at = d.At
			}
			without = append(without, d.Name)
		}
	}
	if len(without) > 0 {
		const room = 60
		topicDevice.Noticef(&j.found, at, "No file belongs to %s of the fabric: %s. %s not judged.", diag.Count(len(without), "device"),
			nodeset.Text(without, nodeset.Devices, room), diag.Plural(len(without), "It is", "They are"))
	}
}

// besideFabric compares the settings that were read of a device with those that the fabric wants.
func besideFabric(j *judging, d *device, u *target.Understood) {
	if d.of == nil {
		return
	}
	top := topOf(j, d)
	what := unlike(d.of, j.named, u, j.made != nil)
	switch {
	case len(what) > 0 && j.made != nil:
		topicDevice.Warnf(&j.found, top, "The files of %s state %s, to which other files belong. Either all belong to that device, or these state "+
			"a wrong name.", d.of.Name, strings.Join(what, ", and "))
	case len(what) > 0:
		topicDevice.Warnf(&j.found, top, "The files of %s state %s. Either they are from another device or time, or the fabric is outdated.",
			d.of.Name, strings.Join(what, ", and "))
	}
	if j.ends[d.of] != nil {
		return // other files of the device were compared
	}
	end := &settings.Reading{Name: d.name, Settings: u.Settings, Where: whereOf(d.of, placed(j, d, u)), At: top}
	for _, one := range append(d.alike, d.of) {
		j.ends[one] = end
	}
	l := heldTo(j, d.of, u, top)
	l.report(&j.found)
	if j.compare != nil && d.of.ByHand == nil {
		j.compare(&besideRead{d, u, what, l.told})
		return
	}
	other := &DeviceRead{Understood: u, device: d.of, hosts: j.written}
	compared := other.Compare("")
	all := compared.Values
	all = slices.DeleteFunc(all, func(v ReadValue) bool { return v.Why != "" || l.told[v.Field] })
	if len(all) > 0 {
		first := all[0]
		at := first.At
		if at.Filename == "" {
			at = top
		}
		show := diag.Rocec("show", diag.Kind("DIR"), diag.Kind("NAME"), diag.Flag("--device-config", diag.Kind("PATH")))
		if j.made != nil {
			show = diag.Rocec("show", diag.Flag("--from", diag.Kind("SOURCE")), diag.Kind("NAME"))
		}
		topicWanted.Noticef(&j.found, at, "%s of %s %s not as the fabric wants %s, such as %s: %s, wanted %s. `%s` lists them.",
			diag.Count(len(all), "further value"), d.of.Name, diag.Plural(len(all), "is", "are"), diag.Plural(len(all), "it", "them"),
			diag.Escape(first.Name), diag.Escape(first.Read), diag.Escape(first.Wanted), show)
	}
	if missing := compared.Missing; len(missing) > 0 && d.of.Switch != nil { // output of a host's tools is always only a part
		topicWanted.Noticef(&j.found, top, "The files of %s do not state %s that rocec writes, and no rule has judged %s: %s. A file may be "+
			"missing or cut off.", d.of.Name, diag.Count(len(missing), "setting"), diag.Plural(len(missing), "it", "them"),
			diag.Escape(strings.Join(missing, "; ")))
	}
}

// heldTo compares the ports of a device with the classes that the fabric keeps lossless.
func heldTo(j *judging, d *ir.Device, u *target.Understood, top diag.Range) *lossless {
	l, wanted := &lossless{device: d, where: u.Where, top: top, found: map[spot]*spots{}}, d.Wanted()
	if j.made != nil { // values in a template's map that no host sends were not stated by a person
		if j.sent == nil {
			j.sent = marksOf(d.Fabric)
		}
		l.sent = j.sent
	}
	for _, p := range d.Ports {
		l.port(p, wanted.Port(p.Name), u.Settings.Port(p.Name))
	}
	return l
}

// runsBeside reports losses in the running settings of a device that its stored settings do not have.
func runsBeside(j *judging, d *device, stored, running *target.Understood) {
	type loss struct{ port, text string }
	known := map[loss]bool{}
	for k, s := range heldTo(j, d.of, stored, topOf(j, d)).found {
		for _, port := range s.ports {
			known[loss{port, k.text}] = true
		}
	}
	l := heldTo(j, d.of, running, topOf(j, d))
	for k, s := range l.found {
		s.ports = slices.DeleteFunc(s.ports, func(port string) bool { return known[loss{port, k.text}] })
	}
	l.order = slices.DeleteFunc(l.order, func(k spot) bool { return len(l.found[k].ports) == 0 })
	l.report(&j.found)
}

// lossless compares the ports of a device with the classes that the fabric keeps lossless.
type lossless struct {
	device *ir.Device
	where  func(port string, f ir.Field, index int) (diag.Range, bool)
	top    diag.Range
	found  map[spot]*spots
	order  []spot
	told   map[ir.Field]bool
	sent   *sentMarks // by members of the fabric; nil: any mark counts
	only   bool       // other marks are left out
}

// spot is a finding at a place; equal findings of several ports are combined.
type spot struct {
	sev  diag.Severity
	at   diag.Range
	text string
}

type spots struct {
	ports []string
	near  diag.Range // a place where other ports have the missing setting; zero: no file has it
}

// elsewhere returns the place of the pauses of a priority at another port of the device.
func (l *lossless) elsewhere(prio int) diag.Range {
	for _, p := range l.device.Ports {
		if at, ok := l.where(p.Name, ir.FieldPauses, prio); ok && at.Filename != "" {
			return at
		}
	}
	return diag.Range{}
}

func (l *lossless) add(p *ir.Port, f ir.Field, index int, format string, args ...any) {
	l.note(diag.Error, p, f, index, fmt.Sprintf(format, args...))
}

func (l *lossless) note(sev diag.Severity, p *ir.Port, f ir.Field, index int, text string) {
	at, ok := l.where(p.Name, f, index)
	for prio := 0; f == ir.FieldPauses && !ok && prio < 8; prio++ { // the pauses that the port has instead
		at, ok = l.where(p.Name, f, prio)
	}
	if !ok || at.Filename == "" {
		at = l.top
	}
	k := spot{sev, at, text}
	if l.found[k] == nil {
		l.found[k] = &spots{}
		if f == ir.FieldPauses && at == l.top {
			l.found[k].near = l.elsewhere(index)
		}
		l.order = append(l.order, k)
	}
	l.found[k].ports = append(l.found[k].ports, p.Name)
	if l.told == nil {
		l.told = map[ir.Field]bool{}
	}
	l.told[f] = true
}

// port compares one port with the fabric.
func (l *lossless) port(p *ir.Port, want, is *ir.PortSettings) {
	if want == nil || is == nil || !want.PausesKnown || want.Sends|want.Obeys == 0 {
		return
	}
	l.pauses(p, want, is)
	l.sorted(p, want, is)
	l.cable(p, is)
}

// passed compares a port with the fabric for packets of a cos that come in by it (in), or leave by it. A port sorts packets that come in,
// and a NIC sorts those that it sends.
func (l *lossless) passed(p *ir.Port, want, is *ir.PortSettings, cos int, in, sorts bool) {
	if !want.PausesKnown || (want.Sends|want.Obeys)>>cos&1 == 0 {
		return
	}
	part := *want
	if part.Obeys &= 1 << cos; in {
		part.Obeys = 0
	}
	if part.Sends &= 1 << cos; !in {
		part.Sends = 0
	}
	l.pauses(p, &part, is)
	if sorts {
		part.Sends = 1 << cos
		l.sorted(p, &part, is)
	}
	if in {
		l.cable(p, is)
	}
}

// pauses compares the pauses of a port with the fabric.
func (l *lossless) pauses(p *ir.Port, want, is *ir.PortSettings) {
	sends, obeys, known := is.Sends, is.Obeys, is.PausesKnown
	if pfc := is.Detail.Get().PFC; !known && pfc.Known() && !want.LinkPause {
		sends, obeys, known = pfc.Value, pfc.Value, true
	}
	switch {
	case !known:
	case want.LinkPause && !is.LinkPause:
		l.add(p, ir.FieldLinkPause, -1, "the fabric keeps the cable lossless by link pause, which is off. Packets are dropped")
	case is.LinkPause && !want.LinkPause:
		l.add(p, ir.FieldLinkPause, -1, "link pause is on instead of PFC: it stops every class, and the other end expects PFC")
	case !want.LinkPause:
		for prio := range 8 {
			s, o := (want.Sends&^sends)>>prio&1 == 1, (want.Obeys&^obeys)>>prio&1 == 1
			does := "neither sends nor obeys its pauses"
			switch {
			case !s && !o:
				continue
			case !o:
				does = "sends no pauses for it"
			case !s:
				does = "obeys none of its pauses"
			}
			l.add(p, ir.FieldPauses, prio, "the fabric keeps priority %d (%s) lossless, and the port %s. Packets are dropped. Turn PFC on "+
				"for it", prio, l.group(prio), does)
		}
	}
}

// cable compares a length of cable, from which the switch derives its headroom, with that of the fabric.
func (l *lossless) cable(p *ir.Port, is *ir.PortSettings) {
	d := is.Detail.Get()
	if l.device.Switch == nil || p.Link() == nil || d.Cable.Is != ir.Stated || float64(d.Cable.Value) >= p.Link().Length.Metres {
		return
	}
	if slices.ContainsFunc(d.Groups[:], func(g ir.GroupSettings) bool { return g.Headroom.Is == ir.Stated && g.Headroom.Value > 0 }) {
		return // the stated bytes are judged instead
	}
	l.add(p, ir.FieldCable, -1, "headroom is for a cable of %d m, and the cable of the fabric has %g m. Packets are dropped after a pause",
		d.Cable.Value, p.Link().Length.Metres)
}

// sorted compares the trust and the maps of a port with those by which the fabric identifies its lossless packets.
func (l *lossless) sorted(p *ir.Port, want, is *ir.PortSettings) {
	if !want.TrustKnown || !is.TrustKnown || want.LinkPause {
		return
	}
	for m := range l.device.Fabric.Missorts(is, want) {
		switch field := map[string]ir.Field{"DSCP": ir.FieldDSCP, "PCP": ir.FieldPCP}[m.Field]; {
		case !m.Group.Lossless || (want.Sends|want.Obeys)>>m.Group.Cos&1 == 0:
		case m.Untrusted:
			l.add(p, ir.FieldTrust, -1, "the port does not trust %s, by which the fabric sorts lossless packets. They are in a class without "+
				"PFC", m.Field)
			return
		case m.Is >= 0 && l.only && !l.sent.has(m):
		case m.Is >= 0 && !l.sent.has(m):
			l.note(diag.Warning, p, field, m.Value, fmt.Sprintf("%s %d is in cos %d, and other devices have it in cos %d (%s), which is lossless. "+
				"No member of the fabric sends it", m.Field, m.Value, m.Is, m.Want, m.Group.Name))
		case m.Is >= 0:
			l.add(p, field, m.Value, "%s %d is in cos %d, and the fabric has it in cos %d (%s), which is lossless. Map it to cos %d", m.Field,
				m.Value, m.Is, m.Want, m.Group.Name, m.Want)
		}
	}
}

// group names the lossless cos group of a priority.
func (l *lossless) group(prio int) string {
	for _, g := range l.device.Fabric.CosGroups {
		if g.Cos == prio && g.Lossless {
			return g.Name
		}
	}
	return "stated by hand"
}

func (l *lossless) report(to *diag.List) {
	var found lint.Findings
	for _, k := range l.order {
		ports := l.found[k].ports
		slices.SortFunc(ports, nodeset.Compare)
		d := found.Report(k.sev, &topicLossless, k.at, "At %s of %s, %s.", diag.Some(ports, mostPorts), l.device.Name, diag.Escape(k.text))
		if near := l.found[k].near; near.Filename != "" {
			d.Note(near, "Other ports have it on here.")
		}
	}
	*to = append(*to, found.Close()...)
}
