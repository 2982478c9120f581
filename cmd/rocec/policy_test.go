package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// policy says who may import whom: package: rooms of ours | other modules. The standard library is free for all but
// for what pure rooms must not touch (see impure).
//
// DO NOT CHANGE THIS DATA TO FIX BUILDS: a line in the wrong room wants to move, not the wall.
const policy = `
lang/diag:               | github.com/hashicorp/hcl/v2
lang/nodeset:            |
lang/nexthops:           lang/diag |
lang/topology:           lang/diag | github.com/hashicorp/hcl/v2 go.yaml.in/yaml/v3
lang:                    lang/diag lang/nodeset lang/nexthops lang/topology | github.com/hashicorp/hcl/v2 github.com/zclconf/go-cty
lang/langtest:           |
compiler/platform:       |
compiler/ir:             compiler/platform lang/diag |
compiler:                lang lang/diag compiler/ir compiler/platform compiler/routes |
compiler/ir/irtest:      compiler/ir compiler/platform lang/diag |
compiler/compilertest:   compiler compiler/ir lang lang/diag lang/langtest |
compiler/routes:         compiler/ir |
validate:                validate/proof compiler/ir compiler/platform lang/diag |
validate/proof:          compiler/ir lang/diag |
validate/oracle:         compiler/ir |
validate/walk:           compiler/ir compiler/platform lang/diag |
targets/target:          compiler/ir lang/diag |
targets/cumulus:         targets/target compiler/ir compiler/platform lang/diag |
targets/cumulus/conflint: targets/cumulus compiler/platform lang/diag |
targets/hostnic:         targets/target compiler/ir compiler/platform lang/diag |
targets:                 targets/target targets/cumulus targets/hostnic compiler/ir lang/diag |
targets/judge:           lang lang/diag compiler compiler/ir validate targets targets/target |
targets/deploy:          targets/target lang/diag | github.com/aymanbagabas/go-udiff golang.org/x/sync
targets/deploy/ssh:      targets/target | golang.org/x/crypto github.com/skeema/knownhosts
targets/deploy/lab:      targets/target | golang.org/x/crypto mvdan.cc/sh/v3
targets/deploy/internal/sshdtest: |
cmd/rocec/picture:       compiler/ir compiler/platform validate lang/diag |
cmd/rocec/lsp:           lang lang/diag |
examples:                |
cmd/internal/compare:    examples | github.com/rogpeppe/go-internal golang.org/x/sync
cmd/rocec:               * | github.com/spf13/cobra golang.org/x/term github.com/aymanbagabas/go-udiff
`

// impure is what only programs, deploy/ssh and deploy/lab may import: disk, network, processes.
var impure = []string{"os", "os/exec", "net", "net/http", "path/filepath"}

// programs is every package main.
var programs = []string{"cmd/rocec", "cmd/internal/compare"}

// testOnly is packages that tests share and no program imports.
var testOnly = []string{"lang/langtest"}

const module = "github.com/rocec/rocec/"

func TestImportPolicy(t *testing.T) {
	type rule struct{ ours, others []string }
	rules := map[string]rule{}
	for line := range strings.Lines(strings.TrimSpace(policy)) {
		pkg, rest, ok := strings.Cut(line, ":")
		require.True(t, ok, line)
		ours, others, _ := strings.Cut(rest, "|")
		rules[pkg] = rule{strings.Fields(ours), strings.Fields(others)}
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "../../...").Output()
	require.NoError(t, err)
	seen := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], module)
		r, ok := rules[pkg]
		if !ok {
			t.Errorf("%s is in no row of the policy: which room is it?", pkg)
			continue
		}
		seen++
		for _, imp := range words[1:] {
			room, ours := strings.CutPrefix(imp, module)
			switch {
			case ours:
				if !slices.Contains(r.ours, room) && !slices.Contains(r.ours, "*") {
					t.Errorf("%s imports %s, which is not its business", pkg, room)
				}
			case strings.Contains(strings.Split(imp, "/")[0], "."):
				if !slices.ContainsFunc(r.others, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") }) {
					t.Errorf("%s imports %s, which the policy gives to others", pkg, imp)
				}
			case slices.Contains(impure, imp):
				if !slices.Contains(slices.Concat(programs, testOnly), pkg) && !strings.HasPrefix(pkg, "targets/deploy/") {
					t.Errorf("%s imports %s: pure until the last door", pkg, imp)
				}
			}
		}
	}
	require.Equal(t, len(rules), seen, "every row of the policy is a package that exists")
}

// diag may use hcl for the type of a place only.
func TestDiagUsesOnlyRange(t *testing.T) {
	out, err := exec.Command("grep", "-rhoE", `\bhcl\.[A-Za-z]+`, "../../lang/diag", "--include=*.go", "--exclude=*_test.go").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		require.Equal(t, "hcl.Range", strings.TrimSpace(line))
	}
}
