package transcripts

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/lang/langtest/machinetest"
)

var update = flag.Bool("update", false, "rewrite the transcripts")

func TestMain(m *testing.M) {
	machinetest.Hasten()
	machinetest.Parallel(4) // most transcripts wait for devices
	os.Exit(m.Run())
}

// TestScripts runs the transcripts under testdata/script: the real command as a person types it. The condition [quick] is
// machinetest.Quick.
func TestScripts(t *testing.T) {
	bin := filepath.Dir(machinetest.Rocec(t))
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("COLUMNS", "100") // a script that searches for whole sentences sets a larger width
			env.Setenv("EXAMPLES", filepath.Join(root, "examples"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state")) // the folder of runs
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache")) // the folder of labs
			env.Setenv("GOGC", os.Getenv("GOGC"))                             // of machinetest.Hasten
			env.Setenv("SCHEMA", filepath.Join(root, "docs", "schema"))
			return os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS(filepath.Join(root, "examples")))
		},
		Condition: func(name string) (bool, error) {
			if name != "quick" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return machinetest.Quick(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"newest": newest,
			"schema": schema,
		},
	})
}

// exits N COMMAND...: runs the command and wants the exit status N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// newest VAR: sets a variable to the name of the newest run.
func newest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: newest VAR")
	}
	runs, _, err := journal.Open(filepath.Join(ts.Getenv("XDG_STATE_HOME"), "rocec", "runs")).Runs()
	ts.Check(err)
	if len(runs) == 0 {
		ts.Fatalf("there is no run")
	}
	ts.Setenv(args[0], runs[0].Run)
}

// schema NAME FILE: every JSON document in FILE fits docs/schema/NAME.json. FILE may be stdout, the output of the last command.
func schema(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: schema NAME FILE")
	}
	compiled, err := jsonschema.NewCompiler().Compile(filepath.Join(ts.Getenv("SCHEMA"), args[0]+".json"))
	ts.Check(err)
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[1])))
	docs := 0
	for ; dec.More(); docs++ {
		var doc any
		ts.Check(dec.Decode(&doc))
		ts.Check(compiled.Validate(doc))
	}
	if docs == 0 {
		ts.Fatalf("%s holds no document", args[1])
	}
}
