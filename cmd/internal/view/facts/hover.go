package facts

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/dscp"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/outline"
	"github.com/rocec/rocec/validate/walk"
)

// The language server shows the value of a name in the last fabric without errors, as show prints it.

// Hover returns the value of a name as Markdown, or "".
func Hover(f *report.Report, dir string, t outline.Thing) string {
	var out []Section
	switch t.Kind {
	case outline.ThingName:
		switch t.Of {
		case "cos_group":
			out = hoverGroup(f, t.Name)
		case "switch", "host":
			out = hoverDevices(f, func(d *ir.Device) bool { return (d.Switch != nil) == (t.Of == "switch") && isNamed(t, d.Group, d.Decl) })
		case "variable", "local":
			out = hoverValue(f, t)
		case "roce":
			out = hoverIntent(f, t)
		case "link", "mesh", "topology":
			out = hoverCables(f, t)
		case "fabric":
			out = hoverFabric(f)
		}
	case outline.ThingDevices:
		names := namesIn(t.Name, nodeset.Devices)
		out = hoverDevices(f, func(d *ir.Device) bool { return names[d.Name] })
	case outline.ThingInterfaces:
		out = hoverPorts(f, t)
	}
	return markdown(out, dir)
}

// isNamed reports whether a name in a file is the name of a block in the same folder. The full name of a block also contains its module
// and its key.
func isNamed(t outline.Thing, full string, decl diag.Range) bool {
	if path.Dir(decl.Filename) != path.Dir(t.At.Filename) {
		return false
	}
	if strings.HasSuffix(full, "]") {
		full = full[:strings.LastIndexByte(full, '[')]
	}
	return full == t.Name || strings.HasSuffix(full, "."+t.Name)
}

// mostHover limits the names of a nodeset that are looked up for a hover.
const mostHover = 65536

func namesIn(s string, kind nodeset.Kind) map[string]bool {
	set, bad := nodeset.Parse(s, kind)
	if len(bad) > 0 || set.Len() > mostHover {
		return nil
	}
	out := map[string]bool{}
	for n := range set.All() {
		if kind == nodeset.Interfaces {
			out[n.Interface] = true
		} else {
			out[n.Device] = true
		}
	}
	return out
}

// DeclaredAt returns the places where devices with computed names are declared.
func DeclaredAt(f *report.Report, t outline.Thing) []diag.Range {
	if t.Kind != outline.ThingDevices {
		return nil
	}
	names := namesIn(t.Name, nodeset.Devices)
	var out []diag.Range
	for _, d := range f.Fabric.Devices {
		if names[d.Name] {
			out = append(out, d.At)
		}
	}
	slices.SortFunc(out, diag.ComparePlace)
	return slices.Compact(out)
}

// hoverGroup describes a cos group: its settings, its derived sizes, and their derivation at one port.
func hoverGroup(f *report.Report, name string) []Section {
	i := slices.IndexFunc(f.Fabric.CosGroups, func(g *ir.CosGroup) bool { return g.Name == name })
	if i < 0 {
		return nil
	}
	g := f.Fabric.CosGroups[i]
	head := Section{Title: fmt.Sprintf("cos_group %q", g.Name)}
	head.Add("cos", fmt.Sprint(g.Cos), ir.Origin{At: g.CosAt})
	if len(g.DSCP) > 0 {
		var names []string
		for _, c := range g.DSCP {
			names = append(names, dscp.Text(c.Value))
		}
		head.Add("DSCP", strings.Join(names, ", "))
	}
	head.Add("PCP", strings.Trim(fmt.Sprint(values(g.PCP)), "[]"))
	if g.Lossless {
		head.Add("lossless", "yes", ir.Origin{At: g.LosslessAt})
	} else {
		head.Add("lossless", "no")
	}
	for _, in := range f.Fabric.Intents {
		switch g {
		case in.Group:
			head.Add("carries", fmt.Sprintf("RoCEv%d of %q", in.Version, in.Name), ir.Origin{At: in.GroupAt})
		case in.CNP:
			head.Add("carries", fmt.Sprintf("notifications of %q", in.Name), ir.Origin{At: in.CNPAt})
		}
	}
	out := []Section{head}
	var example *ir.Buffer
	var at *ir.Port
	least, most, headLeast, headMost, ports := 0, 0, 0, 0, 0
	var mark *ir.Mark
	var marked *ir.Port
	for _, p := range f.Fabric.Ports {
		if b := p.Carries(g); b != nil && b.Size.Set() {
			if ports++; ports == 1 {
				example, at = b, p
				least, most, headLeast, headMost = b.Xoff.N, b.Xoff.N, b.Headroom(), b.Headroom()
			}
			least, most = min(least, b.Xoff.N), max(most, b.Xoff.N)
			headLeast, headMost = min(headLeast, b.Headroom()), max(headMost, b.Headroom())
		}
		for _, m := range p.Marks() {
			if m.Group == g && mark == nil {
				mark, marked = m, p
			}
		}
	}
	if example != nil {
		all := Section{Title: diag.Count(ports, "switch port")}
		all.Add("xoff", between(least, most))
		all.Add("headroom", between(headLeast, headMost))
		one := describeBuffer(&walk.Settings{}, example, at)
		one.Title = "as at " + at.String()
		out = append(out, all, one)
	}
	if mark != nil {
		s := describeMark(&walk.Settings{}, mark, marked)
		s.Title += " at " + marked.String()
		out = append(out, s)
	}
	return out
}

// between returns a range of sizes.
func between(least, most int) string {
	if least == most {
		return amount(least)
	}
	return fmt.Sprintf("%d to %s", least, amount(most))
}

// hoverDevices describes one device as show does, without its ports and files. For several devices it describes their common settings.
func hoverDevices(f *report.Report, want func(*ir.Device) bool) []Section {
	var found []*ir.Device
	for _, d := range f.Fabric.Devices {
		if want(d) {
			found = append(found, d)
		}
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
		d := found[0]
		whole := Device(&walk.Settings{}, nil, d) // rendering its files takes long, and they are not shown
		out := whole[:1]
		out[0].Add("ports", fmt.Sprintf("%d cabled", len(d.Ports)))
		for _, s := range whole[1:] {
			if s.Title == "memory" || s.Title == "set by others" {
				out = append(out, s)
			}
		}
		return out
	}
	s := Section{Title: diag.Count(len(found), "device")}
	var names []string
	for _, d := range found {
		names = append(names, d.Name)
	}
	s.Add("names", nodeset.Text(names, nodeset.Devices, 200))
	s.common("group", found, GroupName)
	s.common("model", found, func(d *ir.Device) string {
		if d.Switch != nil {
			return d.Switch.Model.Title
		}
		var models []string
		for _, n := range d.Host.NICs {
			if !slices.Contains(models, n.Model.Title) {
				models = append(models, n.Model.Title)
			}
		}
		return strings.Join(models, ", ")
	})
	s.common("release", found, func(d *ir.Device) string {
		if d.Switch == nil {
			return ""
		}
		return strings.TrimSpace(d.Switch.OS + " " + d.Switch.Version)
	})
	s.common("tier", found, func(d *ir.Device) string {
		if d.Switch == nil {
			return ""
		}
		return fmt.Sprint(d.Switch.Tier)
	})
	return []Section{s}
}

// common adds the settings of devices: the common value, or the few different values.
func (s *Section) common(name string, devices []*ir.Device, of func(*ir.Device) string) {
	var all []string
	for _, d := range devices {
		if v := of(d); v != "" && !slices.Contains(all, v) {
			if len(all) == 4 {
				all = append(all, "...")
				break
			}
			all = append(all, v)
		}
	}
	if all != nil {
		s.Add(name, strings.Join(all, "; "))
	}
}

// hoverPorts describes the first of the ports as show does.
func hoverPorts(f *report.Report, t outline.Thing) []Section {
	devices, ports := namesIn(t.Of, nodeset.Devices), namesIn(t.Name, nodeset.Interfaces)
	var first *ir.Port
	n := 0
	for _, p := range f.Fabric.Ports {
		if ports[p.Name] && (t.Of == "" && t.Decl || devices[p.Device().Name]) {
			if n++; first == nil {
				first = p
			}
		}
	}
	if first == nil || t.Of == "" && first.NIC == nil {
		return nil
	}
	out := Port(&walk.Settings{}, first)
	if n > 1 {
		out[0].Title += fmt.Sprintf(", the first of %s", diag.Count(n, "port"))
	}
	return out
}

// hoverValue describes the value of a variable or local, and the place where it was set.
func hoverValue(f *report.Report, t outline.Thing) []Section {
	var out []Section
	for _, v := range f.Source.Values {
		if v.Kind != t.Of || v.Name != t.Name || path.Dir(v.Decl.Filename) != path.Dir(t.At.Filename) {
			continue
		}
		root := map[string]string{"variable": "var.", "local": "local."}[v.Kind]
		s := Section{Title: root + v.Name}
		if v.Instance != "" {
			s.Title += " in module." + v.Instance
		}
		why := "given here"
		if v.At.Start.Byte >= v.Decl.Start.Byte && v.At.Filename == v.Decl.Filename && v.Kind == "variable" {
			why = "the default"
		}
		if v.Kind == "local" {
			why = ""
		}
		s.Add("value", v.Text, ir.Origin{At: v.At, Why: why})
		if out = append(out, s); len(out) == 8 {
			break
		}
	}
	return out
}

func hoverIntent(f *report.Report, t outline.Thing) []Section {
	var out []Section
	for _, in := range f.Fabric.Intents {
		if !isNamed(t, in.Name, in.At) {
			continue
		}
		s := Section{Title: "roce " + in.Name}
		s.Add("version", fmt.Sprintf("RoCEv%d", in.Version), ir.Origin{At: in.VersionAt})
		s.Add("cos group", fmt.Sprintf("%s, priority %d", in.Group.Name, in.Group.Cos), ir.Origin{At: in.GroupAt})
		s.Add("members", diag.Count(len(in.Members), "interface"))
		if out = append(out, s); len(out) == 4 {
			break
		}
	}
	return out
}

func hoverCables(f *report.Report, t outline.Thing) []Section {
	s := Section{Title: fmt.Sprintf("%s %q", t.Of, t.Name)}
	n := 0
	for _, l := range f.Fabric.Links {
		kind, name, _ := strings.Cut(l.Block, " ")
		if kind != t.Of || !isNamed(t, strings.TrimSuffix(strings.TrimPrefix(name, `"`), `"`), l.At) {
			continue
		}
		if n++; n == 1 {
			s.Add("first", fmt.Sprintf("%s to %s", l.A(), l.B()), ir.Origin{At: l.A().At})
			s.num("speed", l.Speed, " Mb/s")
			if l.Length.Known() {
				s.Add("length", Metres(l.Length.Metres)+" m", l.Length.From)
			}
		}
	}
	if n == 0 {
		return nil
	}
	s.Add("cables", diag.Number(n))
	return []Section{s}
}

// hoverFabric describes the verdicts of the proof.
func hoverFabric(f *report.Report) []Section {
	s := Section{Title: fmt.Sprintf("fabric %q", f.Fabric.Name)}
	s.Add("devices", diag.Number(len(f.Fabric.Devices)))
	s.Add("cables", diag.Number(len(f.Fabric.Links)))
	for _, p := range f.Proofs {
		s.Add(p.Group.Name, report.Verdict(p))
	}
	return []Section{s}
}

// markdown writes sections as lists; places are relative to the folder of the fabric.
func markdown(sections []Section, dir string) string {
	var b strings.Builder
	for i, s := range sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "**%s**\n\n", markdownEscape(s.Title))
		for _, v := range s.Settings {
			for i := range v.Origins {
				v.Origins[i].File = strings.TrimPrefix(v.Origins[i].File, dir+"/")
			}
			fmt.Fprintf(&b, "- %s: %s", markdownEscape(strings.TrimSpace(v.Name)), markdownEscape(v.Value))
			if from := view.OriginText(v.Origins); from != "" {
				fmt.Fprintf(&b, " (%s)", markdownEscape(from))
			}
			b.WriteByte('\n')
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// markdownEscape escapes Markdown in text from outside.
func markdownEscape(s string) string {
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "`", "\\`", "<", "&lt;", "[", "\\[", "]", "\\]", "\n", " ").Replace(
		diag.EscapeLines(s))
}
