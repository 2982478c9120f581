package nicoperator

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/mlx5"
	"github.com/rocec/rocec/targets/target"
)

// keys are the keys of a value file for the fields that set a field of the settings.
var keys = [...]struct {
	means ir.Field
	key   string
}{
	{ir.FieldTrust, "trust"}, {ir.FieldPauses, "pfc"}, {ir.FieldStamps, "tos"}, {ir.FieldCable, "cable"}, {ir.FieldLinkPause, "pause"},
}

// line returns a value as a line of a value file, which [nic.UnderstandValues] reads.
func (v *Stated) line() string {
	text := strings.ToLower(v.Text)
	switch {
	case v.Means == ir.FieldTrust && text == "pfc":
		text = "pcp"
	case v.Means == ir.FieldLinkPause && text == "true":
		text = "on"
	case v.Means == ir.FieldLinkPause:
		text = "off"
	}
	for _, k := range keys {
		if k.means == v.Means {
			return k.key + "=" + text + "\n"
		}
	}
	return ""
}

// Understood contains the settings of the NICs in a file, by interface.
type Understood struct {
	Ports    map[string]ir.PortSettings
	Coverage target.Coverage
	Where    map[string]map[ir.Field]diag.Range // by interface
}

// Understand reads the settings of the NICs in a file: first those of templates, then those of the NICs to which the operator has copied a
// template. The identity has the models of the NICs, which a template selects by their type.
func Understand(path string, text []byte, id target.Identity) *Understood {
	u := &Understood{Ports: map[string]ir.PortSettings{}, Where: map[string]map[ir.Field]diag.Range{}}
	objects := Objects(string(text))
	by := selected(objects, id)
	for _, device := range []bool{false, true} {
		for i := range objects {
			if o := &objects[i]; (o.Kind == KindDevice) == device {
				s := selection{names: o.Interfaces}
				if o.Kind == KindTemplate {
					s = by[i]
				}
				u.add(path, o, s)
			}
		}
	}
	return u
}

// add adds an object that sets some interfaces.
func (u *Understood) add(path string, o *Object, s selection) {
	names := slices.DeleteFunc(slices.Clone(s.names), func(name string) bool { return !isInterface(name) })
	if len(names) == 0 && s.why == "" {
		s.why = "the object names no interface"
	}
	place := func(line int, row string) diag.Range {
		at := diag.Range{Filename: path}
		at.Start.Line, at.Start.Column, at.End.Line, at.End.Column = line, 1, line, len(row)+1
		return at
	}
	miss := func(row, why string, line int) {
		const most = 1000 // rows of a file that are listed
		if len(u.Coverage.Not) == most {
			u.Coverage.Miss("further rows", why, place(line, row))
		} else if len(u.Coverage.Not) < most {
			u.Coverage.Miss(diag.Cut(strings.ToValidUTF8(row, "?")), diag.Cut(strings.ToValidUTF8(why, "?")), place(line, row))
		}
	}
	for _, w := range o.Wrong {
		miss(w.Row, w.Why, w.Line)
	}
	var values strings.Builder
	for i := range o.Values {
		v := &o.Values[i]
		switch {
		case v.Means == ir.NoField:
			u.Coverage.Leave(v.Aside)
		case s.why != "":
			miss(v.Row, s.why, v.Line)
		default:
			line := v.line()
			_, c := nic.UnderstandValues("", []byte(line), mlx5.Rows(), func(ir.Field, int, diag.Range) {})
			if len(c.Not) > 0 {
				miss(v.Row, "the value is not valid here", v.Line)
				continue
			}
			u.Coverage.Mean(v.Means)
			values.WriteString(line)
			for _, name := range names {
				if u.Where[name] == nil {
					u.Where[name] = map[ir.Field]diag.Range{}
				}
				u.Where[name][v.Means] = place(v.Line, v.Row)
			}
		}
	}
	if values.String() == "" {
		return
	}
	p, _ := nic.UnderstandValues("", []byte(values.String()), mlx5.Rows(), func(ir.Field, int, diag.Range) {})
	for _, name := range names {
		u.Ports[name] = p
	}
}

// isInterface reports whether a word may be the name of an interface (Linux: dev_valid_name).
func isInterface(word string) bool {
	const longest = 15
	return word != "" && len(word) <= longest && strings.Trim(word, ".") != "" && !strings.ContainsAny(word, "/: \t\r\n")
}

// selection is the interfaces that a template sets; why is the reason why they are not known.
type selection struct {
	names []string
	why   string
}

// selected returns the interfaces of each template. The operator applies none of several templates that select one NIC.
func selected(objects []Object, id target.Identity) map[int]selection {
	out, times := map[int]selection{}, map[string]int{}
	for i := range objects {
		if objects[i].Kind == KindTemplate {
			s := objects[i].selects(id)
			for _, name := range s.names {
				times[name]++
			}
			out[i] = s
		}
	}
	for i, s := range out {
		if at := slices.IndexFunc(s.names, func(name string) bool { return times[name] > 1 }); at >= 0 {
			out[i] = selection{why: fmt.Sprintf("several templates select %s, and the operator applies none of them", diag.Escape(s.names[at]))}
		}
	}
	return out
}

// selects returns the interfaces of a template by the models that the fabric states, or the only interface.
func (o *Object) selects(id target.Identity) selection {
	switch {
	case o.Narrow != "":
		return selection{why: "it selects NICs by " + o.Narrow + ", which the fabric does not have: give rocec the NicDevices, too"}
	case id.Cards == nil && len(id.Ports) == 1:
		return selection{names: id.Ports}
	case id.Cards == nil:
		return selection{why: "it names no interface: give rocec the NicDevices, too"}
	}
	var s selection
	for _, port := range slices.Sorted(maps.Keys(id.Cards)) {
		if slices.Contains(mlx5.DeviceIDs(id.Cards[port]), o.NICType) {
			s.names = append(s.names, port)
		}
	}
	if len(s.names) == 0 {
		s.why = fmt.Sprintf("no NIC of the host is of the type %s", diag.Escape(o.NICType))
	}
	return s
}
