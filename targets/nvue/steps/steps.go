// Package steps has the commands of switches that NVUE configures: steps and queries by name ([Recall]), and the check of a patch that
// comes from outside ([Check]). It imports the standard library alone, so that the gate on a switch makes the same commands.
package steps

import (
	_ "embed"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/commands"
)

// The scripts that a switch runs. The other scripts include the first two.
var (
	//go:embed nv.sh
	nvScript string
	//go:embed go.sh
	goScript string
	//go:embed apply.sh
	applyScript string
	//go:embed loaded.sh
	loadedScript string
	//go:embed keep.sh
	keepScript string
	//go:embed undo.sh
	undoScript string
	//go:embed since.sh
	sinceScript string
	//go:embed back.sh
	backScript string
)

// The queries that all steps share, so that equal steps are equal.
var (
	tree = &commands.Query{
		Name: "nvue tree", Cmd: nvScript + "tree applied || fail 'nv config show gives no whole configuration, or one of more than 8 MiB'",
	}
	undo   = &commands.Query{Cmd: "# nv config apply of the revision before\n" + nvScript + goScript + sinceScript + undoScript}
	back   = &commands.Query{Cmd: "# nv config revision\n" + nvScript + sinceScript + backScript}
	loaded = &commands.Query{Cmd: "# nv config revision\n" + nvScript + loadedScript}
)

// NamePatch is the name of a step for any patch. With two trees, by their SHA-256, it is the name of the step that turns the first into the
// second.
const NamePatch = "nvue patch"

// Functions returns the functions that scripts and queries share.
func Functions() string { return nvScript }

// Tree returns the query of the applied tree.
func Tree() *commands.Query { return tree }

// Patch returns the step with a name that applies a patch. The first line of the patch is the SHA-256 of the tree for which it was made,
// and its documents follow.
func Patch(name, patch string) *commands.Step {
	return &commands.Step{
		Name:    name,
		Cmd:     "# nv config patch and apply\n" + nvScript + goScript + applyScript,
		Stdin:   patch,
		Undo:    undo,
		Back:    back,
		Loaded:  loaded,
		Keep:    "# nv config apply --confirm-yes, and nv config save\n" + nvScript + keepScript,
		Units:   "nvue-startup.service nvued.service",
		Timeout: 5 * time.Minute,
	}
}

// Recall makes a step or a query from the words of its name after "nvue". stdin is the patch of the step between two trees, in the form of
// [Check]. The error is a [*commands.Unknown], or states why the patch is refused.
func Recall(words []string, stdin []byte) (*commands.Made, error) {
	unknown := &commands.Unknown{Name: "nvue " + strings.Join(words, " ")}
	switch {
	case slices.Equal(words, []string{"tree"}):
		return &commands.Made{Query: tree}, nil
	case slices.Equal(words, []string{"patch"}):
		return &commands.Made{Step: Patch(NamePatch, commands.Sum(nil)+"\n")}, nil
	case len(words) != 3 || words[0] != "patch":
		return nil, unknown
	}
	for _, sum := range words[1:] {
		if sum == commands.Absent || !commands.ValidSum(sum) {
			return nil, unknown
		}
	}
	if err := Check(words[1], stdin); err != nil {
		return nil, err
	}
	return &commands.Made{Step: Patch(NamePatch+" "+words[1]+" "+words[2], string(stdin))}, nil
}

// Paths lists the paths of all files that rocec writes on these switches: none, since NVUE writes its files itself.
var Paths []string

// File returns nil if rocec writes a file with such a path and such a content; it writes none.
func File(string, []byte) error { return errors.New("rocec writes no such file") }
