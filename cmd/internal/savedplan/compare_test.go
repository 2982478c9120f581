package savedplan

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/judge"
)

// A plan file is accepted only with the inputs that it was made from. The message names any other input.
func TestSame(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Chdir(dir)
	fabric := func(text string) *report.Report {
		files := map[string][]byte{"f/fabric.hcl": []byte(text), deploy.EnvPrefix + "b": []byte("2")}
		return &report.Report{Judged: &judge.Judged{Source: &lang.Source{Files: files}}, Dir: "f"}
	}
	given := func(change func(*Given)) *Given {
		g := &Given{Tool: "1", Vars: []string{"a=1"}, Environ: []string{"ROCEC_VAR_b=2", "ROCEC_VAR_c=3", "HOME=/"}, Targets: []string{"leaf01"}}
		if change != nil {
			change(g)
		}
		return g
	}
	m, err := given(nil).Save("plan", "f", fabric("x"), &deploy.Plan{}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"ROCEC_VAR_b"}, m.EnvironmentNames(), "the fabric declares no c")
	require.Equal(t, filepath.Join(dir, "f"), m.Fabric)
	data, err := os.ReadFile("plan")
	require.NoError(t, err)
	saved, err := given(nil).Load("plan")
	require.NoError(t, err)
	require.NoError(t, given(nil).Same("plan", saved, "f", fabric("x")))
	require.Equal(t, "rocec apply --plan plan --var a=1 --target leaf01 f", given(nil).ApplyCommand("plan", "f", m))
	more := given(func(g *Given) { g.More = []diag.Word{diag.Flag("--max-dark", diag.Arg("HOSTS", "3"))} })
	require.Equal(t, "rocec apply --plan plan --var a=1 --target leaf01 --max-dark 3 f", more.ApplyCommand("plan", "f", m))
	require.Equal(t, "rocec apply --lab --var a=1 --target leaf01 --max-dark 3 f", more.Command("apply", "auto", "f"))

	_, err = given(func(g *Given) { g.Tool = "2" }).Load("plan")
	require.EqualError(t, err, `plan was made by rocec "1", this is "2": make the plan again`)
	for want, change := range map[string]func(*Given){
		`--var: the plan has "a", this command has none. Nothing was changed.`:              func(g *Given) { g.Vars = nil },
		`environment: the plan has "ROCEC_VAR_b", this command has none. Nothing`:           func(g *Given) { g.Environ = nil },
		`--target: the plan has "leaf01", this command has "leaf02"`:                        func(g *Given) { g.Targets = []string{"leaf02"} },
		`--var-file: the plan has none, this command has "` + filepath.Join(dir, "v") + `"`: func(g *Given) { g.VarFiles = []string{"v"} },
		`the plan was made without --adopt-derived, this command is with it`:                func(g *Given) { g.AdoptDerived = true },
	} {
		var refused *exit.Error
		require.ErrorAs(t, given(change).Same("plan", saved, "f", fabric("x")), &refused)
		require.Equal(t, exit.Usage, refused.Status)
		require.Contains(t, refused.Message, want)
		require.Contains(t, refused.Message, "\nTo apply it with its own inputs: rocec apply --plan plan --var a=")
	}
	for _, changed := range []error{
		given(nil).Same("plan", saved, "f", fabric("y")),
		given(func(g *Given) { g.Vars[0] = "a=2" }).Same("plan", saved, "f", fabric("x")),
		given(func(g *Given) { g.Environ[0] = "ROCEC_VAR_b=3" }).Same("plan", saved, "f", fabric("x")),
	} {
		var refused *exit.Error
		require.ErrorAs(t, changed, &refused)
		require.Equal(t, exit.Machines, refused.Status)
		require.Contains(t, refused.Message, `a file of the fabric in f or a value of "a" and "ROCEC_VAR_b" changed after the plan was made`)
	}
	require.NoError(t, given(nil).NoFabric("plan", saved, "f"))
	require.ErrorContains(t, given(nil).NoFabric("plan", saved, "g"), `which contains no fabric. Nothing was changed.`)
	now, err := os.ReadFile("plan")
	require.NoError(t, err)
	require.Equal(t, data, now)
}
