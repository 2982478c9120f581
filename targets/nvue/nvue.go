// Package nvue writes the lossless settings of a switch, alone or in addition to the vendor's [Preset], into the configuration tree of
// NVUE, which Cumulus Linux has from 5.4 on.
//
// The input is one compiled switch. The output is a function from the applied tree of the switch to the wanted tree. The settings are
// lowered once ([lower]), then set in the tree by the paths of the release ([grammar.Grammar]); settings of others stay unchanged.
// Package grammar reads and writes text in one canonical form, so that two trees can be compared as text. A switch gets the
// difference of two trees ([Patch]).
//
// The target promises: the maps of PCP and DSCP are complete, so that no default of the switch decides, and unclaimed traffic never
// enters a lossless priority. A PFC profile always states its cable length, since the switch assumes 10 m without one. The switch derives
// headroom from that length, unless the fabric states sizes. The memory pools are split before traffic is lossless. A bond's members have
// only a watchdog, since NVUE refuses other settings of QoS for them. rocec's profiles are named rocec-*, and rocec neither changes nor
// deletes profiles of others.
//
// rocec owns the default-global profiles of mapping, remark, pfc and link-pause, the queue map, and every profile rocec-*. It owns the
// choice of profiles for the fabric's ports, and their watchdogs. If the fabric has lossless traffic, it also owns the shares of
// default-lossy and default-lossless. The marks and shares of default-global belong to the factory or to others, and apply to ports
// outside the fabric.
package nvue

import (
	"bytes"
	"strings"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/lint"
	"github.com/rocec/rocec/targets/nvue/steps"
	"github.com/rocec/rocec/targets/target"
)

// Path is the path of the live state: the applied tree, without the parts that do not concern rocec. NVUE's own startup.yaml has the
// whole configuration with its logins, and rocec never writes it.
const Path = "nvue/applied"

// The paths of the wanted tree in the output of `rocec build`, as YAML and as lines of nv set. Both are patches for `nv config patch`.
const (
	TreePath     = "/etc/rocec/nvue.yaml"
	CommandsPath = "/etc/rocec/nvue.commands"
)

// Prefix is the beginning of the name of every profile that rocec declares.
const Prefix = "rocec-"

// global is the profile of all ports without another one.
const global = grammar.DefaultGlobal

// Preset states what happens to `qos roce` on a switch that has it.
type Preset = ir.Preset

// The choices of a person for the preset.
const (
	AskPreset     = ir.AskPreset     // not stated: the preset stays if the fabric fits it, and otherwise the switch is refused
	ReplacePreset = ir.ReplacePreset // the preset is removed, and the fabric's settings replace it
	KeepPreset    = ir.KeepPreset    // the preset stays; a fabric whose lossless traffic it would drop is refused
)

// Wish computes the wanted tree of a switch from the applied one.
type Wish struct {
	device *ir.Device
	preset Preset
	lower  func() *settings
}

// For returns the wish for a switch, and the findings about it; nil if rocec can write nothing.
func For(d *ir.Device, p Preset) (*Wish, diag.List) {
	ds := Check(d)
	rel, ok := grammar.ParseRelease(d.Switch.Version)
	if !ok || !rel.AtLeast(grammar.First[0], grammar.First[1]) || len(d.Fabric.CosGroups) == 0 {
		return nil, ds
	}
	return &Wish{device: d, preset: p, lower: sync.OnceValue(func() *settings { return lower(d, grammar.For(rel)) })}, ds
}

// File returns the wanted tree as a live state. Edit gets the applied tree as `nv config show` prints it, in YAML or JSON, and returns
// the whole wanted tree in canonical YAML. If the applied tree is already right, it returns the same bytes. Keys are paths with dots
// between their keys.
func (w *Wish) File() target.File {
	why := sync.OnceValue(func() map[string][]ir.Origin { return w.lower().origins() })
	return target.File{
		Path:     Path,
		Mode:     0o644,
		Live:     steps.Tree(),
		Edit:     w.Edit,
		Keys:     w.Keys,
		Why:      func(key string) []ir.Origin { return why()[key] },
		Lint:     w.linter(),
		Activate: step(steps.NamePatch, nil, nil),
		Choose:   w.choose,

		Canonical: canonical,

		Forms: []target.Form{
			{Path: TreePath, Of: func(content []byte) []byte { return content }},
			{Path: CommandsPath, Of: setLines},
		},
		Data: data,
	}
}

// linter checks a tree without the fabric. It omits findings that rocec's own tree written from nothing also has: the fabric causes
// those, and validate has reported them.
func (w *Wish) linter() func([]byte) (diag.List, string) {
	judge := func(content []byte) diag.List {
		rel, ok := lint.Judged(w.device.Switch.Version)
		if !ok {
			return nil
		}
		return lint.Applied(Path, content, rel)
	}
	key := func(d *diag.Diagnostic) string { return d.Code + " " + d.Detail }
	meant := sync.OnceValue(func() map[string]bool {
		whole, _ := w.Edit(nil)
		m := map[string]bool{}
		for _, d := range judge(whole) {
			m[key(d)] = true
		}
		return m
	})
	return func(content []byte) (found diag.List, foreign string) {
		for _, d := range judge(content) {
			if !meant()[key(d)] {
				found = append(found, d)
			}
		}
		return found, ""
	}
}

// Edit returns the canonical text of the wanted tree, computed from the applied one. If nothing differs, it returns the applied text.
func (w *Wish) Edit(old []byte) ([]byte, diag.List) {
	var ds diag.List
	cfg, err := grammar.Read(old)
	if err != nil {
		topicTree.Errorf(&ds, w.device.At, "The configuration of %s cannot be edited: %s.", w.device.Name, err).
			Note(diag.Range{}, "See the output of `nv config show -o yaml` on the switch.")
		return nil, ds
	}
	was := cfg.Set.Clone()
	if ds = w.edit(cfg); ds.HasErrors() {
		return nil, ds
	}
	if bytes.HasSuffix(old, []byte("\n")) && was.Equal(cfg.Set) {
		return old, ds
	}
	return cfg.YAML(), ds
}

// canonical returns a tree in the canonical text of [Wish.Edit], or unchanged if it cannot be read.
func canonical(tree []byte) []byte {
	cfg, err := grammar.Read(tree)
	if err != nil {
		return tree
	}
	return cfg.YAML()
}

// Keys lists the settings of a tree in the order of its canonical text.
func (w *Wish) Keys(content []byte) []target.Key {
	cfg, err := grammar.Read(content)
	if err != nil {
		return nil
	}
	e := w.editor(cfg.Set)
	wanted := map[string]bool{}
	for _, x := range e.wishes() {
		wanted[grammar.Spell(x.path)] = true
	}
	var out []target.Key
	cfg.Set.Leaves(func(l grammar.Leaf) {
		name := grammar.Spell(l.Path)
		out = append(out, target.Key{Name: name, Value: l.Shown(), Ours: wanted[name] || e.owns(l.Path)})
	})
	return out
}

// Patch returns the documents that turn the tree before into the tree after, both as text; see [grammar.Patch]. A text that cannot be
// read is an error.
func Patch(before, after []byte) ([]grammar.Doc, error) {
	a, err := grammar.Read(before)
	if err != nil {
		return nil, err
	}
	b, err := grammar.Read(after)
	if err != nil {
		return nil, err
	}
	return grammar.Patch(a.Set, b.Set), nil
}

// mine reports whether a profile is one of rocec's.
func mine(profile string) bool { return strings.HasPrefix(profile, Prefix) }
