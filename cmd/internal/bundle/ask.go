package bundle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/mask"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// claimTime is the time limit of the command of one claim, in seconds.
const claimTime = 15

// Asked is a device with its claims, and its answers.
type Asked struct {
	of      *target.Device
	claims  []target.Claim
	answers [][]byte // by claim; nil: the device gave no answer
	facts   deviceFacts
}

// Ask returns those devices of a tree whose targets have claims. It also returns a second tree of these devices, with the questions of the
// claims as probes. When the caller observes the second tree, the answers are stored in the returned devices.
func Ask(tree *target.Tree) ([]*Asked, *target.Tree) {
	var out []*Asked
	ask := &target.Tree{}
	for _, d := range tree.Devices {
		if d.Target.Claims == nil {
			continue
		}
		one := &Asked{of: d, claims: d.Target.Claims(d.Source)}
		if len(one.claims) == 0 {
			continue
		}
		one.answers = make([][]byte, len(one.claims))
		to := *d
		to.Cleanups, to.Watches, to.Inspection = nil, nil, nil
		if !slices.ContainsFunc(one.claims, func(c target.Claim) bool { return c.Own }) {
			to.Files = nil // only the function wrote reads the files
		}
		to.Identity = slices.DeleteFunc(slices.Clone(d.Identity), func(p target.Probe) bool { return p.Name != target.ReleaseProbe })
		to.Probes = []target.Probe{{Name: "names", Query: target.Query{Cmd: factsCmd}, Judge: func(answer []byte) []string {
			one.facts = readFacts(answer)
			return nil
		}}}
		for i, c := range one.claims {
			if slices.ContainsFunc(one.claims[:i], func(o target.Claim) bool { return Same(o, c) }) {
				continue
			}
			to.Probes = append(to.Probes, target.Probe{Name: c.ID, Query: bounded(c.Query), Judge: func(answer []byte) []string {
				for k, o := range one.claims {
					if Same(o, c) {
						one.answers[k] = answer
					}
				}
				return nil
			}})
		}
		out, ask.Devices = append(out, one), append(ask.Devices, &to)
	}
	return out, ask
}

// bounded returns the query of a claim with limits of time and length. The answer includes error output, and the query never fails.
func bounded(q target.Query) target.Query {
	const form = `{ timeout %d sh -c %s 2>&1 || echo "(exit status $?)"; } | head -c %d`
	q.Cmd = fmt.Sprintf(form, claimTime, nic.Quote(q.Cmd), target.MostAnswer+1)
	return q
}

// New returns the bundle of devices that answered, and the mask for its text. have contains the observation of each device of asked.
func New(f *ir.Fabric, asked []*Asked, have []*deploy.Have) (*Bundle, *mask.Mask) {
	hides := fabricMask(f)
	words := map[*ir.Device]string{}
	for _, d := range asked { // devices that are shown get the first numbers
		words[d.of.Source] = knowDevice(hides, d.of.Source)
	}
	for _, d := range f.Devices {
		if words[d] == "" {
			words[d] = knowDevice(hides, d)
		}
	}
	b := &Bundle{}
	for i, d := range asked {
		d.facts.know(hides, words[d.of.Source])
		b.Devices = append(b.Devices, d.section(words[d.of.Source], have[i]))
	}
	for _, s := range b.Devices { // the mask knows the names of all devices
		s.decide(hides)
	}
	return b, hides
}

// Unread reports whether a device has no answers.
func (b *Bundle) Unread() bool {
	return slices.ContainsFunc(b.Devices, func(s *Section) bool { return s.NotRead != "" })
}

// section returns the answers of a device, without verdicts.
func (d *Asked) section(word string, have *deploy.Have) *Section {
	s := &Section{Name: d.of.Name, Word: word, Targets: strings.Fields(d.of.Target.Name), System: d.facts.system}
	if sw := d.of.Source.Switch; sw != nil {
		s.Release = sw.Version
	}
	s.Models, s.Chips, s.Firmware = models(d.of.Source), chips(d.of), d.facts.firmware
	switch {
	case have.Err != nil:
		s.NotRead = string(have.Err.Kind) + ": " + have.Err.Detail
	case !d.facts.whole:
		s.NotRead = "the device did not report its name, so its names could not be removed from its answers"
	case len(have.Wrong) > 0: // the device has another release than the fabric states
		s.NotRead = strings.Join(have.Wrong, " ")
	}
	if s.NotRead != "" {
		return s
	}
	s.Wrote = wrote(have)
	for i, c := range d.claims {
		s.Answers = append(s.Answers, Answer{Claim: c, Text: d.answers[i]})
	}
	return s
}

// tool is the word that marks files and settings of rocec, in a first line or in the names of profiles.
const tool = "rocec"

// wrote reports whether a device may have content that rocec wrote. A run leaves its record on the device, or at least a folder that the
// login cannot read. Files from rocec build or from an image contain the word rocec, or rocec would not change them.
func wrote(have *deploy.Have) bool {
	if have.Count != 0 {
		return true
	}
	for i, c := range have.Files {
		if c.Data == nil {
			continue
		}
		if bytes.Contains(c.Data, []byte(tool)) {
			return true
		}
		if same, ds := have.Device.Files[i].Edit(c.Data); !ds.HasErrors() && bytes.Equal(same, c.Data) {
			return true
		}
	}
	return false
}

// models returns the models of a device, without names of models that the fabric declares.
func models(d *ir.Device) (out []string) {
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if d.Switch != nil {
		if sw := d.Switch.Model; slices.Contains(platform.Switches, sw) {
			add(sw.Name)
		} else {
			add("declared in the fabric, " + sw.ASIC.Title)
		}
		return out
	}
	for _, n := range d.Host.NICs {
		if slices.Contains(n.Model.Driver.Models, n.Model) {
			add(n.Model.Name)
		} else {
			add("declared in the fabric, " + n.Model.Driver.Name)
		}
	}
	return out
}

// chips returns the chip of a switch, or the models of the NICs of a host, each with its target.
func chips(d *target.Device) (out []string) {
	if sw := d.Source.Switch; sw != nil {
		if sw.Model.ASIC == nil {
			return nil
		}
		return []string{d.Target.Name + " " + sw.Model.ASIC.Title}
	}
	for _, n := range d.Source.Host.NICs {
		if one := n.Model.Driver.Name + " " + n.Model.Name; slices.Contains(n.Model.Driver.Models, n.Model) && !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}
