package compiler

import (
	"fmt"
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

var topicNICParameter = &diag.Topic{Code: "nic-parameter", Summary: "the NIC's driver has no such parameter, or no such value"}

// stated reads the parameters of a nic block by the tables of a driver. It passes each mistake to report, with its place and its subject.
type stated struct {
	driver *ir.Driver
	table  *ir.NICTable
	report func(t *diag.Topic, at diag.Range, name, format string, args ...any) *diag.Diagnostic
}

// parametersOf returns the parameters of a nic block, as the driver of its model knows them; nil: the block states no valid one.
func parametersOf(t *lang.Tuning, model *ir.NICModel,
	report func(t *diag.Topic, at diag.Range, name, format string, args ...any) *diag.Diagnostic,
) *ir.NICParameters {
	if t == nil || model == nil || model.Driver == nil {
		return nil
	}
	s := stated{model.Driver, &ir.NICTable{}, report}
	if s.driver.Parameters != nil {
		s.table = s.driver.Parameters()
	}
	out := &ir.NICParameters{
		DCQCN: s.listed("dcqcn", "parameters of DCQCN", t.DCQCN, s.table.DCQCN),
		NVRAM: s.listed("nvram", "stored parameters", t.NVRAM, s.table.NVRAM),
	}
	if t.Stall.At != (diag.Range{}) {
		if s.table.Stall == nil {
			report(topicNICParameter, t.Stall.At, "stall_prevention", "rocec knows no stall prevention of NICs with the driver %s. Delete "+
				"stall_prevention.", s.driver.Name)
		} else if v, ok := s.value(s.table.Stall, t.Stall); ok {
			out.Stall = &v
		}
	}
	if len(out.DCQCN)+len(out.NVRAM) == 0 && out.Stall == nil {
		return nil
	}
	return out
}

// listed returns the parameters of a map of the block that the table of the driver has. It reports the others.
func (s *stated) listed(attr, kind string, written []lang.Parameter, table []*ir.NICParameter) (out []ir.SetParameter) {
	known := map[string]*ir.NICParameter{}
	var names []string
	for _, p := range table {
		if known[p.Name] = p; p.By == "" {
			names = append(names, p.Name)
		}
	}
	for _, w := range written {
		switch p := known[w.Name]; {
		case len(table) == 0:
			s.report(topicNICParameter, w.At, w.Name, "rocec knows no %s of NICs with the driver %s. Delete %s, and set it with the "+
				"tool of the vendor.", kind, s.driver.Name, diag.Escape(w.Name))
		case p == nil:
			s.report(topicNICParameter, w.At, w.Name, "%s of the driver %s has no parameter %q.%s", attr, s.driver.Name, diag.Cut(w.Name),
				diag.Suggest(w.Name, names)).Instead(w.At, diag.Nearest(w.Name, names))
		case p.By != "":
			s.report(topicNICParameter, w.At, w.Name, "%s is set by %s. Delete it from %s.", w.Name, p.By, attr)
		default:
			if v, ok := s.value(p, w.Value); ok {
				out = append(out, v)
			}
		}
	}
	return out
}

// value returns a parameter with its value, or reports a value that it cannot have.
func (s *stated) value(p *ir.NICParameter, v lang.Value[string]) (ir.SetParameter, bool) {
	n, ok := p.Read(v.V)
	if !ok {
		text := v.V
		if _, err := strconv.Atoi(text); err != nil {
			text = fmt.Sprintf("%q", diag.Cut(text))
		}
		s.report(topicNICParameter, v.At, p.Name, "%s of the driver %s cannot be %s. Use %s. Source: %s.", p.Name, s.driver.Name, text,
			p.Range(), p.Source)
	}
	return ir.SetParameter{NICParameter: p, Value: n, At: v.At}, ok
}
