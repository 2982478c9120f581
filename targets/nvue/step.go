package nvue

import (
	"bytes"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/steps"
	"github.com/rocec/rocec/targets/target"
)

// stepBetween returns the step that turns one tree into another. Trees that cannot be read change nothing: the caller has read both.
func stepBetween(before, after []byte) target.Step {
	docs, err := Patch(before, after)
	if _, err2 := grammar.Read(after); err != nil || err2 != nil {
		docs = nil
	}
	s := step(steps.NamePatch+" "+commands.Sum(before)+" "+commands.Sum(after), before, docs)
	if docs != nil && !movesBuffers(docs) {
		s.Disrupts = "packets may be lost for a moment (NVUE applies a revision)"
	}
	return s
}

// movesBuffers reports whether a patch makes switchd change buffers.
func movesBuffers(docs []grammar.Doc) (moves bool) {
	for _, d := range docs {
		d.Tree.Leaves(func(l grammar.Leaf) {
			path := l.Path
			if path[0] == "interface" {
				path = path[min(2, len(path)):]
			}
			if len(path) < 2 || path[0] != "qos" {
				return
			}
			switch path[1] {
			case "pfc", "link-pause", "traffic-pool", "advance-buffer-config", "roce":
				moves = true
			}
		})
	}
	return moves
}

// recall returns a step or a query by its name.
func recall(words []string, kept commands.Kept) (*target.Made, error) {
	if len(words) != 3 || words[0] != "patch" {
		made, err := steps.Fixed(words)
		switch {
		case err != nil:
			return nil, err
		case made.Step == nil:
			return &target.Made{Query: made.Query}, nil
		}
		s := step(made.Step.Name, nil, nil)
		return &target.Made{Step: &s}, nil
	}
	before, err := kept(words[1])
	if err != nil {
		return nil, err
	}
	after, err := kept(words[2])
	if err != nil {
		return nil, err
	}
	s := stepBetween(before, after)
	return &target.Made{Step: &s}, nil
}

// step returns the step that applies a patch to the tree for which the patch was made. NVUE lets switchd read the changes, so no port
// goes down: "may lose packets for a moment" (manual of 5.17, Quality of Service, switchd).
func step(name string, before []byte, docs []grammar.Doc) target.Step {
	var b bytes.Buffer
	b.WriteString(commands.Sum(before) + "\n")
	for _, d := range docs {
		b.Write(d.YAML())
	}
	s := target.StepOf(steps.Patch(name, b.String()))
	s.Disrupts = "a brief loss while buffers change (NVUE applies a revision)"
	s.Outage = ir.Outage{Most: 2 * time.Second}
	s.Soak, s.Away = 10*time.Second, 30*time.Second
	return s
}

// choose returns the step for one change of the tree, and reports how the result differs from the vendor's preset.
func (w *Wish) choose(before, after []byte, _ []target.Sample) (target.Step, []string) {
	s := stepBetween(before, after)
	cfg, err := grammar.Read(after)
	if err != nil { // the caller has read it
		return s, nil
	}
	return s, w.saysDeviations(cfg.Set)
}
