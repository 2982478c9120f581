package nvue

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/target"
)

// The scripts that a switch runs. The other scripts include the first two.
var (
	//go:embed script/nv.sh
	nvScript string
	//go:embed script/go.sh
	goScript string
	//go:embed script/apply.sh
	applyScript string
	//go:embed script/loaded.sh
	loadedScript string
	//go:embed script/keep.sh
	keepScript string
	//go:embed script/undo.sh
	undoScript string
	//go:embed script/since.sh
	sinceScript string
	//go:embed script/back.sh
	backScript string
)

// The queries that all steps share, so that equal steps are equal.
var (
	liveQuery = &target.Query{
		Name: nameTree, Cmd: nvScript + "tree applied || fail 'nv config show gives no whole configuration, or one of more than 8 MiB'",
	}
	undo   = &target.Query{Cmd: "# nv config apply of the revision before\n" + nvScript + goScript + sinceScript + undoScript}
	back   = &target.Query{Cmd: "# nv config revision\n" + nvScript + sinceScript + backScript}
	loaded = &target.Query{Cmd: "# nv config revision\n" + nvScript + loadedScript}
)

// The names of queries and steps, see [target.Target.Recall].
const (
	nameTree  = "nvue tree"
	namePatch = "nvue patch" // with two trees, by their SHA-256, it turns the first into the second
)

// stepBetween returns the step that turns one tree into another. Trees that cannot be read change nothing: the caller has read both.
func stepBetween(before, after []byte) target.Step {
	docs, err := Patch(before, after)
	if _, err2 := grammar.Read(after); err != nil || err2 != nil {
		docs = nil
	}
	s := step(namePatch+" "+commands.Sum(before)+" "+commands.Sum(after), before, docs)
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
	switch {
	case slices.Equal(words, []string{"tree"}):
		return &target.Made{Query: liveQuery}, nil
	case slices.Equal(words, []string{"patch"}):
		s := step(namePatch, nil, nil)
		return &target.Made{Step: &s}, nil
	case len(words) == 3 && words[0] == "patch":
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
	return nil, &commands.Unknown{Name: "nvue " + strings.Join(words, " ")}
}

// step returns the step that applies a patch to the tree for which the patch was made. NVUE lets switchd read the changes, so no port
// goes down: "may lose packets for a moment" (manual of 5.17, Quality of Service, switchd).
func step(name string, before []byte, docs []grammar.Doc) target.Step {
	var b bytes.Buffer
	b.WriteString(commands.Sum(before) + "\n")
	for _, d := range docs {
		b.Write(d.YAML())
	}
	return target.Step{
		Name:     name,
		Cmd:      "# nv config patch and apply\n" + nvScript + goScript + applyScript,
		Stdin:    b.String(),
		Disrupts: "a brief loss while buffers change (NVUE applies a revision)",
		Outage:   ir.Outage{Most: 2 * time.Second},
		Undo:     undo,
		Back:     back,
		Loaded:   loaded,
		Keep:     "# nv config apply --confirm-yes, and nv config save\n" + nvScript + keepScript,
		Units:    "nvue-startup.service nvued.service",
		Timeout:  5 * time.Minute,
		Soak:     10 * time.Second,
		Away:     30 * time.Second,
	}
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
