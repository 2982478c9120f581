package nicoperator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/mlx5"
	"github.com/rocec/rocec/targets/nic/steps"
)

// template contains the values that a NicConfigurationTemplate states for the NICs of one model.
type template struct {
	model    *ir.NICModel
	trust    string
	pfc      string
	tos      int // 0: not stated
	mode     int
	ecn      int // a priority; -1: none
	pause    bool
	dscp     int    // of CNPs; -1: not stated
	priority int    // the same
	cable    int    // metres; 0: not stated
	nvram    string // further parameters of the firmware, as NAME=N, each with a space behind it
}

// unsaid is a value of the fabric that a template cannot state.
type unsaid struct{ key, value, nic string }

// cannot is the reason why no template describes a NIC, as part of a sentence.
type cannot string

// templateOf returns the template of a NIC, and the settings that it cannot state.
func templateOf(n *ir.NIC) (template, []unsaid, cannot) {
	s := (*nic.Family)(nil).Lower(n)
	t := template{
		model: n.Model, trust: "pfc", ecn: -1, dscp: -1, priority: -1, pause: s.Pause, mode: s.Version, cable: s.Cable, tos: max(s.TOS, 0),
	}
	switch {
	case !n.RoCE:
		return t, nil, "RoCE is off, and a template cannot turn it off"
	case len(s.Intents) == 0:
		return t, nil, "it carries no intent"
	case len(mlx5.DeviceIDs(n.Model.Name)) == 0:
		return t, nil, cannot("the PCI device id of " + n.Model.Title + " is not known")
	case s.ByDSCP:
		t.trust = usualTrust
		if why := factoryMap(s); why != "" {
			return t, nil, why
		}
	}
	var mask []string
	for _, on := range s.PFC {
		mask = append(mask, map[bool]string{true: "1", false: "0"}[on])
	}
	t.pfc = strings.Join(mask, ",")
	t.ecn = slices.Index(s.ECN[:], true)
	if s.CNP != nil {
		t.priority = s.CNP.Cos
		if len(s.CNP.DSCP) > 0 {
			t.dscp = s.CNP.DSCP[0].Value
		}
	}
	for _, p := range n.Parameters.Stored() {
		if p.Name == cnpDSCP && t.dscp >= 0 || p.Name == cnpPriority && t.priority >= 0 {
			continue // the cos group of CNPs decides
		}
		t.nvram += fmt.Sprintf("%s=%d ", p.Name, p.Value)
	}
	return t, t.unsaid(s), ""
}

// The parameters of the firmware for the marks of CNPs.
const (
	cnpDSCP     = "CNP_DSCP"
	cnpPriority = "CNP_802P_PRIO"
)

// firmware returns the parameters of the firmware that the template states for each port, as NAME=N.
func (t *template) firmware() (out []string) {
	if t.dscp >= 0 {
		out = append(out, cnpDSCP+"="+strconv.Itoa(t.dscp))
	}
	if t.priority >= 0 {
		out = append(out, cnpPriority+"="+strconv.Itoa(t.priority))
	}
	return append(out, strings.Fields(t.nvram)...)
}

// factoryMap returns the reason why the map of the factory, which no template changes, gives a packet of an intent or a CNP another
// priority than the fabric; empty: it gives the same. The factory setting is the upper three bits of the DSCP (see [ir.Card]).
func factoryMap(s *nic.Settings) cannot {
	groups := []*ir.CosGroup{s.CNP}
	for _, in := range s.Intents {
		groups = append(groups, in.Group)
	}
	for _, g := range groups {
		if g == nil {
			continue
		}
		for _, c := range g.DSCP {
			if c.Value>>3 != g.Cos {
				return cannot(fmt.Sprintf("DSCP %d (%s) needs priority %d, the NIC gives it priority %d from the factory, and a template has "+
					"no map", c.Value, g.Name, g.Cos, c.Value>>3))
			}
		}
	}
	return ""
}

// says reports whether the template states the value of a key of the value file.
func (t *template) says(key, value string) bool {
	if name, is := strings.CutPrefix(key, steps.StoredKey); is {
		return slices.Contains(t.firmware(), name+"="+value)
	}
	switch key {
	case "trust", "pfc", "pause", "roce_mode":
		return true
	case "tos":
		return t.tos > 0
	case "cable":
		return t.cable > 0
	case "cnp_dscp":
		return t.dscp >= 0
	case "cnp_prio":
		return t.priority >= 0
	case "ecn_np_prio" + strconv.Itoa(t.ecn), "ecn_rp_prio" + strconv.Itoa(t.ecn):
		return true
	}
	return false
}

// unsaid returns the values of the fabric that the template does not state.
func (t *template) unsaid(s *nic.Settings) (out []unsaid) {
	for _, row := range mlx5.Rows() {
		if row.Key == "should" { // it lists keys of the value file
			continue
		}
		if value := row.Value(nil, s); len(value) > 0 && !t.says(row.Key, string(value)) {
			out = append(out, unsaid{row.Key, string(value), s.NIC.Name})
		}
	}
	for vf, on := range s.NIC.VFRoCE {
		out = append(out, unsaid{"vf_roce", fmt.Sprintf("%d:%s", vf, map[bool]string{true: "on", false: "off"}[on]), s.NIC.Name})
	}
	return out
}

// described is a host with its templates, one for each model, or the reason why no template describes it.
type described struct {
	name      string
	templates []template
	unsaid    []unsaid
	beside    []string // sentences about further NICs
	why       string   // a sentence without a full stop; empty: it has templates
}

// describe returns the templates of a host. A template is for all NICs of a model, so that they need the same settings. If their cables
// differ, the template has the longest one.
func describe(d *ir.Device) *described {
	h := &described{name: d.Name}
	whose := map[*ir.NICModel]string{}
	for _, n := range d.Host.NICs {
		if n.Model.Driver != mlx5.Driver {
			if nic.Wanted(n) {
				h.beside = append(h.beside, fmt.Sprintf("%s is a %s, which the operator does not set.", n.Name, n.Model.Title))
			}
			continue
		}
		if !nic.Wanted(n) {
			continue
		}
		t, not, why := templateOf(n)
		if why != "" {
			h.why = n.Name + ": " + string(why)
			return h
		}
		h.unsaid = append(h.unsaid, not...)
		i := slices.IndexFunc(h.templates, func(o template) bool { return o.model == t.model })
		if i < 0 {
			whose[t.model] = n.Name
			h.templates = append(h.templates, t)
			continue
		}
		alike, longest := t, max(t.cable, h.templates[i].cable)
		alike.cable = h.templates[i].cable
		if alike != h.templates[i] {
			h.why = fmt.Sprintf("%s and %s are of one model and need different settings, and the fabric has no PCI address by which a template "+
				"selects one of them", whose[t.model], n.Name)
			return h
		}
		if t.cable != h.templates[i].cable {
			h.beside = append(h.beside, fmt.Sprintf("The cables of the %s NICs differ, and the template has the longest one.", t.model.Title))
		}
		h.templates[i].cable = longest
	}
	for _, n := range d.Host.NICs {
		if whose[n.Model] != "" && !nic.Wanted(n) {
			h.beside = append(h.beside, fmt.Sprintf("%s carries no intent, and the template sets it, too.", n.Name))
		}
	}
	if len(h.templates) == 0 {
		h.why = "it has no NIC that the operator sets"
	}
	return h
}
