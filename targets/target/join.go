package target

import (
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/sender"
)

// Join returns the target of a host whose NICs several targets write: each writes its own NICs, in the given order. If their images contain
// the same file or interface, the first counts.
func Join(all ...*Target) *Target {
	j := &Target{
		Parts:  all,
		Rounds: gather(all, func(t *Target) []Rounding { return t.Rounds }),
		Claims: func(d *ir.Device) []Claim {
			var out []Claim
			for _, t := range all {
				if t.Claims == nil {
					continue
				}
				for _, c := range t.Claims(d) {
					if !slices.ContainsFunc(out, func(have Claim) bool { return have.ID == c.ID }) { // facts about the host itself, which each target asks
						out = append(out, c)
					}
				}
			}
			return out
		},
		NeedsReport: func(d *ir.Device) bool {
			return slices.ContainsFunc(all, func(t *Target) bool { return t.NeedsReport != nil && t.NeedsReport(d) })
		},
		Noticed: func(d *ir.Device, s *Step, live Live) (string, ir.Outage) {
			for _, t := range all { // the step belongs to one of them
				if t.Noticed == nil {
					continue
				}
				if what, outage := t.Noticed(d, s, live); what != s.Disrupts || outage != s.Outage {
					return what, outage
				}
			}
			return s.Disrupts, s.Outage
		},
		Check: func(d *ir.Device) diag.List {
			return gather(all, func(t *Target) diag.List { return t.Check(d) })
		},
		Render: func(d *ir.Device) ([]File, diag.List) {
			var files []File
			var ds diag.List
			for _, t := range all {
				own, found := t.Render(d)
				files, ds = append(files, own...), append(ds, found...)
			}
			return files, ds
		},
		Enable: func(d *ir.Device) []Link {
			return gather(all, func(t *Target) []Link { return t.Enable(d) })
		},
		Read: func(d *ir.Device, content func(path string) []byte) *ir.Settings {
			var whole *ir.Settings
			for _, t := range all {
				if s := t.Read(d, content); whole == nil {
					whole = s
				} else if s != nil {
					maps.Copy(whole.Ports, s.Ports)
				}
			}
			return whole
		},
		Transition: func(d *ir.Device, content func(path string) []byte, marked bool) (map[string][]byte, string) {
			whole := map[string][]byte{}
			for _, t := range all {
				files, not := t.Transition(d, content, marked)
				if not != "" {
					return nil, not
				}
				maps.Copy(whole, files)
			}
			return whole, ""
		},
		Sent: func(_ *Target, d *ir.Device, state func(path string) []byte, facts sender.Facts) []sender.Reach {
			return gather(all, func(t *Target) []sender.Reach {
				if t.Sent == nil {
					return nil
				}
				return t.Sent(t, d, state, facts)
			})
		},
		About: func(d *ir.Device) string {
			var texts []string
			for _, t := range all {
				if text := t.About(d); text != "" {
					texts = append(texts, text)
				}
			}
			return strings.Join(texts, "; ")
		},
		Identity: func(d *ir.Device) []Probe {
			return gather(all, func(t *Target) []Probe { return t.Identity(d) })
		},
		Probes: func(d *ir.Device) []Probe {
			var out []Probe
			for _, p := range gather(all, func(t *Target) []Probe { return t.Probes(d) }) {
				same := func(have Probe) bool { return have.Name == p.Name && have.Cmd == p.Cmd }
				if !slices.ContainsFunc(out, same) { // facts about the host itself, which each target asks
					out = append(out, p)
				}
			}
			return out
		},
		Counters: func(d *ir.Device) []CounterQuery {
			return gather(all, func(t *Target) []CounterQuery {
				if t.Counters == nil {
					return nil
				}
				return t.Counters(d)
			})
		},
		Inspect: func(d *ir.Device) *Inspection {
			for _, t := range all { // facts about the host itself, which any target asks
				if t.Inspect != nil {
					return t.Inspect(d)
				}
			}
			return nil
		},
		Reported: func(d *ir.Device, r *Report) Reported {
			whole := Reported{States: map[string][]byte{}, Answers: map[string][]byte{}}
			for _, t := range all {
				own := t.Reported(d, r)
				maps.Copy(whole.States, own.States)
				for name, answer := range own.Answers { // facts about the host itself, of which each target reports a part
					whole.Answers[name] = slices.Concat(whole.Answers[name], answer)
				}
				whole.Wrong = append(whole.Wrong, own.Wrong...)
			}
			return whole
		},
		Image: func(d *ir.Device) Image {
			img := Image{Files: map[string]string{}}
			for _, t := range all {
				img.add(t.Image(d))
			}
			return img
		},
	}
	for i, t := range all {
		if i > 0 {
			j.Name += " "
		}
		j.Name += t.Name
	}
	return j
}

func gather[S ~[]E, E any](all []*Target, of func(*Target) S) S {
	var out S
	for _, t := range all {
		out = append(out, of(t)...)
	}
	return out
}

// add puts another image into one device.
func (img *Image) add(other Image) {
	for _, path := range slices.Sorted(maps.Keys(other.Files)) {
		if _, there := img.Files[path]; !there {
			img.Files[path] = other.Files[path]
		}
	}
	for _, n := range other.Netdevs {
		if !slices.ContainsFunc(img.Netdevs, func(have Netdev) bool { return have.Name == n.Name }) {
			img.Netdevs = append(img.Netdevs, n)
		}
	}
	for _, s := range other.Services {
		if !slices.Contains(img.Services, s) {
			img.Services = append(img.Services, s)
		}
	}
	for _, m := range other.Modules {
		if !slices.Contains(img.Modules, m) {
			img.Modules = append(img.Modules, m)
		}
	}
	img.Sims = append(img.Sims, other.Sims...)
}
