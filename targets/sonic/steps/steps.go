// Package steps has the commands of switches with CONFIG_DB: steps and queries by name ([Recall]), and the check of the stages of a change
// that come from outside ([Check]). It imports the standard library alone, so that the gate on a switch makes the same commands.
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
	//go:embed rows.sh
	rowsScript string
	//go:embed patch.sh
	patchScript string
	//go:embed apply.sh
	applyScript string
	//go:embed loaded.sh
	loadedScript string
	//go:embed keep.sh
	keepScript string
	//go:embed undo.sh
	undoScript string
	//go:embed back.sh
	backScript string
)

var rows = &commands.Query{Name: "sonic rows", Cmd: rowsScript + "running || fail 'sonic-cfggen gives no whole configuration'"}

// NamePatch is the name of a step for any change. With a version, a vendor of chips and the SHA-256 of the old and the new state, it is the
// name of the step for one change.
const NamePatch = "sonic patch"

// StageTime is the time after which a patch with its commands counts as hanging.
const StageTime = 2 * time.Minute

// Rows returns the query of the running configuration.
func Rows() *commands.Query { return rows }

// The first fields of a line of stages. A stage begins with a line that states whether it belongs to the change or to its way back.
const (
	stageForth = "stage\tforth"
	stageBack  = "stage\tback"
	ofRow      = "row\t"
	ofScript   = "sh\t"
)

// Patch returns the step with a name that turns one running configuration into another. base and goal are the SHA-256 of both. stages has
// the lines of the change and of its way back.
func Patch(name, base, goal, stages string) *commands.Step {
	text := base + "\n" + goal + "\n" + stages
	forth, back := strings.Count(text, "\n"+stageForth+"\n"), strings.Count(text, "\n"+stageBack+"\n")
	return &commands.Step{
		Name:  name,
		Cmd:   "# config apply-patch\n" + rowsScript + patchScript + applyScript,
		Stdin: text,
		Undo: &commands.Query{
			Cmd: "# config apply-patch of what was there before\n" + rowsScript + patchScript + undoScript, Stdin: []byte(text),
		},
		Back:    &commands.Query{Cmd: "# sonic-cfggen\nbase=" + base + "\ngoal=" + goal + "\n" + rowsScript + patchScript + backScript},
		Loaded:  &commands.Query{Cmd: "# sonic-cfggen\ngoal=" + goal + "\n" + rowsScript + patchScript + loadedScript},
		Keep:    "# config save\n" + rowsScript + keepScript,
		Units:   "database.service config-setup.service",
		Timeout: StageTime * time.Duration(1+max(forth, back)),
	}
}

// Recall makes a step or a query from the words of its name after "sonic". stdin has the stages of the step for one change, in the form of
// [Check]. The error is a [*commands.Unknown], or states why the stages are refused.
func Recall(words []string, stdin []byte) (*commands.Made, error) {
	unknown := &commands.Unknown{Name: "sonic " + strings.Join(words, " ")}
	switch {
	case slices.Equal(words, []string{"rows"}):
		return &commands.Made{Query: rows}, nil
	case slices.Equal(words, []string{"patch"}):
		none := commands.Sum(nil)
		return &commands.Made{Step: Patch(NamePatch, none, none, "")}, nil
	case len(words) != 5 || words[0] != "patch":
		return nil, unknown
	}
	for _, part := range words[1:3] {
		if _, ok := commands.Spelled(part); !ok {
			return nil, unknown
		}
	}
	base, goal := words[3], words[4]
	for _, sum := range []string{base, goal} {
		if sum == commands.Absent || !commands.ValidSum(sum) {
			return nil, unknown
		}
	}
	if err := Check(base, goal, stdin); err != nil {
		return nil, err
	}
	stages := string(stdin[len(base)+len(goal)+2:])
	return &commands.Made{Step: Patch("sonic "+strings.Join(words, " "), base, goal, stages)}, nil
}

// Paths lists the paths of all files that rocec writes on these switches: none, since the switch saves CONFIG_DB itself.
var Paths []string

// File returns nil if rocec writes a file with such a path and such a content; it writes none.
func File(string, []byte) error { return errors.New("rocec writes no such file") }
