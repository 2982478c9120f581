package compiler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// models reads the switch_model and nic_model blocks: hardware that is not in the tables.
func (c *compiler) models() {
	c.switchModels, c.foundSwitch = map[string]*platform.Switch{}, map[string]*platform.Switch{}
	c.nicModels, c.foundNIC = map[string]*ir.NICModel{}, map[string]*ir.NICModel{}
	for _, m := range c.src.SwitchModels {
		if s := c.switchModel(m); s != nil {
			c.switchModels[strings.ToLower(m.Name)] = s
		}
	}
	for _, m := range c.src.NICModels {
		if n := c.nicModel(m); n != nil {
			c.nicModels[strings.ToLower(m.Name)] = n
		}
	}
}

func (c *compiler) switchModel(m *lang.SwitchModel) *platform.Switch {
	s := &platform.Switch{Name: m.Name, Title: m.Name, Source: "switch_model " + m.Name}
	if known, ok := platform.FindSwitch(m.Name); ok {
		c.report.errorf(topicModelInvalid, m.Decl, m.Name, "The tables already contain %q: it is the %s with %s on %s. Give the "+
			"block another name, or delete it.", m.Name, known.Title, c.known.DefaultOS().PortsText(known), known.ASIC.Title)
	}
	asic, ok := platform.FindASIC(m.ASIC.V)
	if !ok {
		names := platform.ASICNames()
		meant, say := hint(m.ASIC.V, names), chipWithoutSizes(m.ASIC.V, names)
		if say != "" {
			meant = ""
		} else {
			say = fmt.Sprintf("No chip is called %q.%s", m.ASIC.V, hintOrList(m.ASIC.V, names))
		}
		c.instead(c.report.errorf(topicUnknownModel, diag.FirstPlace(m.ASIC.At, m.Decl), m.ASIC.V, "%s", say), m.ASIC.V, meant)
		return s // without ports: links to it are not checked
	}
	s.ASIC = asic
	speed := m.Speed.V
	if speed > asic.MaxSpeed || !standard(speed) {
		c.report.errorf(topicModelInvalid, diag.FirstPlace(m.Speed.At, m.Decl), m.Name,
			"Ports of %s cannot run at %s: %s has ports of %s at most, "+
				"and a speed is one of %s. Correct it.", m.Name, platform.SpeedText(speed), asic.Title, platform.SpeedText(asic.MaxSpeed), speeds())
		return s
	}
	if m.Ports.V < 1 || m.Ports.V > maxPorts {
		c.report.errorf(topicModelInvalid, diag.FirstPlace(m.Ports.At, m.Decl), m.Name,
			"A switch has 1 to %d ports, and %s has %d. Correct the number.",
			maxPorts, m.Name, m.Ports.V)
		return s
	}
	s.Ports = []platform.PortRange{{First: 1, Last: m.Ports.V, Speed: speed, Lanes: usualLanes(speed)}}
	return s
}

// chipWithoutSizes returns the reason why rocec derives no sizes for a chip that exists or may exist; empty: no such chip is known.
func chipWithoutSizes(name string, names []string) string {
	switch unsized, known := platform.FindUnsized(name); {
	case known:
		return fmt.Sprintf("This rocec knows %s, but derives no sizes for the chip: %s. Leave its switches out of the fabric, and size them "+
			"by the maker's guide.", unsized.Title, unsized.Why)
	case platform.Newer(name, names):
		return fmt.Sprintf("The chip %q looks newer than this rocec knows. Correct the name, or use a later rocec.", name)
	}
	return ""
}

// maxPorts limits the ports of a switch_model; the largest known switch has 260 front-panel ports when split.
const maxPorts = 1024

// usualLanes is the number of lanes of the usual cage of a speed: SFP, QSFP, QSFP-DD.
func usualLanes(speed int) int {
	switch {
	case speed >= 400_000:
		return 8
	case speed == 40_000 || speed >= 100_000:
		return 4
	case speed == 50_000:
		return 2
	}
	return 1
}

func (c *compiler) nicModel(m *lang.NICModel) *ir.NICModel {
	if known := c.known.FindNIC(m.Name); known != nil {
		c.report.errorf(topicModelInvalid, m.Decl, m.Name, "The tables already contain %q: it is the %s. Give the block another "+
			"name, or delete it.", m.Name, known.Title)
	}
	n := &ir.NICModel{
		Name: m.Name, Title: m.Name, Driver: c.driver(m), Speed: m.Speed.V, Ports: m.Ports.Or(2),
		V1: len(m.RoCE) == 0, V2: len(m.RoCE) == 0, Source: "nic_model " + m.Name,
	}
	if !standard(n.Speed) {
		c.report.errorf(topicModelInvalid, diag.FirstPlace(m.Speed.At, m.Decl), m.Name, "Ports of %s cannot run at %s. Use one of the speeds %s.",
			m.Name, platform.SpeedText(n.Speed), speeds())
	}
	for _, v := range m.RoCE {
		switch v.V {
		case 1:
			n.V1 = true
		case 2:
			n.V2 = true
		default:
			c.report.errorf(topicModelInvalid, v.At, m.Name, "There is no RoCE version %d. Write 1, 2 or both.", v.V)
		}
	}
	return n
}

// driver returns the driver a nic_model block names as its family. If no driver is known at all, it returns an empty driver for any name.
func (c *compiler) driver(m *lang.NICModel) *ir.Driver {
	d := c.known.FindDriver(m.Family.V)
	switch names := c.known.DriverNames(); {
	case d != nil:
	case len(names) == 0:
		d = &ir.Driver{Name: m.Family.V}
	default:
		c.instead(c.report.errorf(topicUnknownModel, diag.FirstPlace(m.Family.At, m.Decl), m.Family.V, "No NIC family is called %q.%s",
			m.Family.V, hintOrList(m.Family.V, names)), m.Family.V, hint(m.Family.V, names))
	}
	return d
}

// switchNamed returns the model a switch block names, or nil after an error.
func (c *compiler) switchNamed(model lang.Value[string], decl diag.Range) *platform.Switch {
	s, asked := c.foundSwitch[model.V]
	if !asked {
		var ok bool
		if s, ok = c.switchModels[strings.ToLower(model.V)]; !ok {
			if s, ok = platform.FindSwitch(model.V); !ok {
				s, _ = platform.FindOrder(model.V)
			}
		}
		c.foundSwitch[model.V] = s
	}
	if s == nil {
		var near []string
		for _, s := range platform.Switches {
			near = appendNear(near, model.V, s.Name, s.Parts)
		}
		c.unknownModel(diag.FirstPlace(model.At, decl), "switch", model.V, platform.SwitchNames(), near, misspeltOrder, fmt.Sprintf(
			"switch_model %q with its asic, ports and speed", model.V))
	}
	return s
}

// nicNamed returns the model a nic block names, or nil after an error.
func (c *compiler) nicNamed(model lang.Value[string], decl diag.Range) *ir.NICModel {
	n, asked := c.foundNIC[model.V]
	if !asked {
		var ok bool
		if n, ok = c.nicModels[strings.ToLower(model.V)]; !ok {
			if n = c.known.FindNIC(model.V); n == nil {
				n = c.known.FindNICOrder(model.V)
			}
		}
		c.foundNIC[model.V] = n
	}
	if n == nil {
		var near []string
		for _, d := range c.known.Drivers {
			for _, m := range d.Models {
				near = appendNear(near, model.V, m.Name, m.Parts)
			}
		}
		c.unknownModel(diag.FirstPlace(model.At, decl), "NIC", model.V, c.known.NICNames(), near, nil, fmt.Sprintf(
			"nic_model %q with its family and speed", model.V))
	}
	return n
}

// misspeltOrder guesses the switch model of a part number with a wrong letter or digit: for MSN2790-CS2F it returns sn2700. Empty: no
// guess.
func misspeltOrder(number string) string {
	models := platform.OrderHeads()
	return models[diag.Nearest(platform.OrderHead(number), slices.Sorted(maps.Keys(models)))]
}

// appendNear adds a model if one of its part numbers begins like the name.
func appendNear(near []string, name, model string, parts []string) []string {
	if of := platform.NearlyOrdered(name, parts); len(of) > 0 {
		return append(near, fmt.Sprintf("%s (%s)", model, diag.Or(of)))
	}
	return near
}

// unknownModel reports a model that is in no table. near lists models of which the name may be a part number. misspelt, if not nil, guesses
// the model of a misspelt part number.
func (c *compiler) unknownModel(at diag.Range, kind, name string, known, near []string, misspelt func(string) string, declare string) {
	if len(near) > 0 {
		c.report.errorf(topicUnknownModel, at, name, "The part number %q looks like one of %s, but matches none. Write "+
			"the model, or a block %s if the tables lack the hardware.", name, diag.And(near), declare)
		return
	}
	meant := hint(strings.ToLower(name), known)
	if more, ok := strings.CutPrefix(strings.ToLower(name), string(meant)); ok && len(more) > 2 {
		meant = "" // with this many letters after a model, the name is another model, not a misspelling
	}
	if meant == "" && misspelt != nil {
		meant = guess(misspelt(name))
	}
	say := meant.String()
	switch block, _, _ := strings.Cut(declare, " "); {
	case platform.Newer(name, known):
		meant, say = "", fmt.Sprintf(" It looks newer than this rocec knows: describe it by `%s`.", block)
	case meant == "" && len(known) > 0:
		say = " It knows " + strings.Join(known, ", ") + "."
	}
	c.instead(c.report.errorf(topicUnknownModel, at, name,
		"The table of %s models has no %q.%s Write a block %s if the tables lack the hardware.",
		kind, name, say, declare), name, meant)
}

func standard(speed int) bool { return platform.Runs(speed, usualLanes(speed), speed) }

func speeds() string {
	var out []string
	for _, s := range platform.Speeds {
		out = append(out, platform.SpeedText(s))
	}
	return strings.Join(out, ", ")
}
