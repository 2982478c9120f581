// Package stored writes the parameters that cards store (NVRAM), for the families of NICs that have a table of them.
//
// The stored parameters of a NIC's card are a live state of their own, stored/IF. Its step stores the values and resets the card, and runs
// alone: every port and function of the card is down meanwhile. Lines of the state are nvram_NAME=VALUE, where VALUE is in use, then the
// lines
//
//	reset=possible      or the reason why no tool resets the card
//	card=IF,IF          the interfaces of the card
//
// A value that only counts after the next reset is not in use: "0; 48 after the next reset of the card".
package stored

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/nic/steps/store"
	"github.com/rocec/rocec/targets/target"
)

// Cards are the functions of a family whose cards store parameters.
var Cards = &nic.Cards{Files: files, Before: before, Step: step, Noticed: noticed}

// files returns the live states of the stored parameters of a host's NICs.
func files(f *nic.Family, ours []*ir.NIC) (out []target.File) {
	var nics []steps.NIC
	for _, n := range ours {
		if at := wanted(n); len(at) > 0 {
			nics = append(nics, steps.NIC{Name: n.Name, At: at})
		}
	}
	if len(nics) == 0 {
		return nil
	}
	one := step(f, nics)
	for _, n := range ours {
		at := wanted(n)
		if len(at) == 0 {
			continue
		}
		s := f.Lower(n)
		out = append(out, target.File{
			Path: steps.StoredName(n.Name),
			Edit: func(old []byte) ([]byte, diag.List) {
				text, ds := edit(s, old, at)
				return text, append(ds, contradictions(s, old, ours)...)
			},
			Keys: keys,
			Why:  s.Why,
			Live: store.Query(f.Kit, steps.NIC{Name: n.Name, At: at}), Activate: one,
		})
	}
	return out
}

// wanted returns the wanted lines of a NIC.
func wanted(n *ir.NIC) (lines []string) {
	for _, p := range n.Parameters.Stored() {
		lines = append(lines, steps.StoredKey+p.Name+"="+strconv.Itoa(p.Value))
	}
	return lines
}

// keys lists the parameters of a state.
func keys(content []byte) []target.Key {
	ours := func(key string) bool { return strings.HasPrefix(key, steps.StoredKey) }
	return slices.DeleteFunc(nic.Keys(content, ours), func(k target.Key) bool { return !k.Ours })
}

// edit puts the wanted values into the output of stored. A value that cannot be stored, or a card that cannot be reset, is an error.
func edit(s *nic.Settings, old []byte, want []string) ([]byte, diag.List) {
	if len(old) == 0 {
		return []byte(strings.Join(want, "\n") + "\n"), nil
	}
	var ds diag.List
	var out, changes []string
	nic.Lines(old, func(line []byte, key, value string, ok bool) {
		text := string(line)
		i := slices.IndexFunc(want, func(w string) bool { return strings.HasPrefix(w, key+"=") })
		if why, is := nic.Cannot(value); ok && i >= 0 && is {
			s.Refuse(&ds, key, "%s. The fabric asks for it", nic.OrNoWay(why))
		} else if ok && i >= 0 && text != want[i] {
			text, changes = want[i], append(changes, key)
		}
		out = append(out, text)
	})
	for _, w := range lacking(old, want) {
		key, _, _ := strings.Cut(w, "=")
		out, changes = append(out, w), append(changes, key)
	}
	reset := nic.ValueIn(old)("reset")
	if why, is := nic.Cannot(reset); is && len(changes) > 0 {
		s.Refuse(&ds, changes[0], "rocec would store it and reset the card, which is not possible here: %s", nic.OrNoWay(why))
	}
	return []byte(strings.Join(out, "\n") + "\n"), ds
}

// contradictions reports values that two NICs of one card state differently although their ports share the value. The answer of the host
// has the interfaces of the card.
func contradictions(s *nic.Settings, answer []byte, ours []*ir.NIC) (ds diag.List) {
	names := strings.Split(nic.ValueIn(answer)("card"), ",")
	for _, o := range ours {
		if o == s.NIC || !slices.Contains(names, o.Name) || !slices.Contains(names, s.NIC.Name) {
			continue
		}
		for _, p := range s.NIC.Parameters.Stored() {
			if q := ir.Find(o.Parameters.Stored(), p.Name); p.Shared && q != nil && q.Value != p.Value {
				s.Refuse(&ds, steps.StoredKey+p.Name, "it is %s, and %s for %s, which is a port of the same card. The ports share this "+
					"value, so state it once", p.Text(p.Value), q.Text(q.Value), o.Name)
			}
		}
	}
	return ds
}

// lacking returns the wanted lines whose keys the answer of a host does not have. Such a value is not known, and never counts as the wanted
// one.
func lacking(answer []byte, want []string) []string {
	have := map[string]bool{}
	nic.Lines(answer, func(_ []byte, key, _ string, ok bool) { have[key] = have[key] || ok })
	return slices.DeleteFunc(slices.Clone(want), func(line string) bool {
		key, _, _ := strings.Cut(line, "=")
		return have[key]
	})
}

// step returns the step that stores parameters, with its effects for the NICs in its name. [noticed] adds the other interfaces of their
// cards, and the hosts that they reach.
func step(f *nic.Family, nics []steps.NIC) target.Step {
	s := nic.Watched(store.Step(f.Kit, nics))
	var names []string
	for _, n := range nics {
		names = append(names, n.Name)
	}
	s.Alone = true
	s.Disrupts, s.Outage = resets(names)
	s.Away = store.ResetTime
	return s
}

// resets returns the text and the duration of the disruption by a reset of cards with some NICs.
func resets(names []string) (disrupts string, outage ir.Outage) {
	text := fmt.Sprintf("the %s of %s %s: its ports and all of their functions are down", diag.Plural(len(names), "card", "cards"),
		strings.Join(names, ", "), diag.Plural(len(names), "is reset", "are reset, one after the other"))
	if len(names) > 1 {
		text = strings.Replace(text, "its ports", "their ports", 1)
	}
	return text, ir.Outage{Least: 10 * time.Second, Most: time.Duration(len(names)) * store.ResetTime}
}

// mostPairs limits the length of the list of hosts in the text of a reset.
const mostPairs = 120

// noticed returns Disrupts and Outage of a step that resets cards: of the cards whose values change, with every interface on them, and
// with the hosts that this host does not reach meanwhile. The name of the step has the NICs, also those that leave.
func noticed(d *ir.Device, s *target.Step, live target.Live) (disrupts string, outage ir.Outage) {
	var down []string
	cards := map[string]bool{}
	_, words, _ := strings.Cut(s.Name, " ")
	nics, ours := steps.Parse(strings.Fields(words))
	if !ours {
		return s.Disrupts, s.Outage
	}
	for _, n := range nics {
		before, _, changes := live(steps.StoredName(n.Name))
		if !changes {
			continue
		}
		card := nic.ValueIn(before)("card")
		if card == "" || !slices.Contains(strings.Split(card, ","), n.Name) {
			card = n.Name // the host does not show the card
		}
		if cards[card] {
			continue
		}
		cards[card] = true
		for name := range strings.SplitSeq(card, ",") {
			if steps.IsNetdev(name) && !slices.Contains(down, name) && len(down) < mostDown {
				down = append(down, name)
			}
		}
	}
	if len(down) == 0 {
		return "", ir.Outage{}
	}
	disrupts, _ = resets(down)
	if len(cards) == 1 && len(down) > 1 {
		disrupts = fmt.Sprintf("the card of %s is reset: its ports and all of their functions are down", strings.Join(down, ", "))
	}
	return disrupts + unreached(d, down), ir.Outage{Least: 10 * time.Second, Most: time.Duration(len(cards)) * store.ResetTime}
}

// mostDown limits the interfaces of cards that a host may show.
const mostDown = 32

// unreached returns, for each intent, the members that the host does not reach while some of its interfaces are down.
func unreached(d *ir.Device, down []string) string {
	var parts []string
	for _, in := range d.Fabric.Intents {
		var dark, up int
		for _, m := range in.Members {
			switch {
			case m.NIC.Device != d:
			case slices.Contains(down, m.NIC.Name):
				dark++
			default:
				up++
			}
		}
		if dark == 0 {
			continue
		}
		var others []string
		for _, m := range in.Members {
			if name := m.NIC.Device.Name; m.NIC.Device != d && !slices.Contains(others, name) {
				others = append(others, name)
			}
		}
		switch {
		case len(others) == 0:
		case up > 0:
			parts = append(parts, fmt.Sprintf("%s reaches %s of %s by %s alone", d.Name, nodeset.Text(others, nodeset.Devices, mostPairs),
				diag.Escape(in.Name), diag.Count(up, "other interface")))
		default:
			parts = append(parts, fmt.Sprintf("%s reaches none of %s in %s", d.Name, nodeset.Text(others, nodeset.Devices, mostPairs),
				diag.Escape(in.Name)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, "; ")
}

// before returns the live states of NICs that leave and had stored other values before rocec, in the order of their names.
func before(f *nic.Family, d *ir.Device, stays map[string]bool, held map[string]string) (out []target.File) {
	var nics []steps.NIC
	for name, text := range held {
		n := steps.NIC{Name: name, Leaves: true}
		nic.Lines([]byte(text), func(line []byte, key, value string, ok bool) {
			if ok && strings.HasPrefix(key, steps.StoredKey) && steps.IsPlace(key, value) {
				n.At = append(n.At, string(line))
			}
		})
		if !stays[name] && len(n.At) > 0 {
			nics = append(nics, n)
		}
	}
	if len(nics) == 0 {
		return nil
	}
	slices.SortFunc(nics, func(a, b steps.NIC) int { return cmp.Compare(a.Name, b.Name) })
	one := step(f, nics)
	for _, n := range nics {
		out = append(out, target.File{
			Path: steps.StoredName(n.Name),
			Edit: func(old []byte) ([]byte, diag.List) {
				var ds diag.List
				var text []byte
				why, stuck := nic.Cannot(nic.ValueIn(old)("reset"))
				nic.Lines(old, func(line []byte, key, value string, ok bool) {
					i := slices.IndexFunc(n.At, func(w string) bool { return strings.HasPrefix(w, key+"=") })
					if _, is := nic.Cannot(value); ok && i >= 0 && !is && string(line) != n.At[i] {
						line = []byte(n.At[i])
						if stuck {
							nic.SettingTopic.Errorf(&ds, d.At, "%s of the nic %s was %s before rocec, and cannot be restored here: %s.", key, n.Name,
								n.At[i], nic.OrNoWay(why))
						}
					}
					text = append(append(text, line...), '\n')
				})
				if len(old) > 0 {
					for _, w := range lacking(old, n.At) {
						text = append(append(text, w...), '\n')
					}
				}
				return text, ds
			},
			Keys: keys,
			Live: store.Query(f.Kit, steps.NIC{Name: n.Name, At: n.At}), Activate: one,
		})
	}
	return out
}
