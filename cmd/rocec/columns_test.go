package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/view/viewtest"
)

// TestColumns: without a terminal, the width is COLUMNS, or 80 by default. Plans, results, verify and help fit the width.
func TestColumns(t *testing.T) {
	t.Chdir("../..")
	setenv(t, "XDG_STATE_HOME", t.TempDir())
	for columns, want := range map[string]int{"80": 80, "60": 60, "none": 80, "-1": 80, "120": 120} {
		setenv(t, "COLUMNS", columns)
		a := newApp(&person.Person{Getenv: func(name string) string { return map[string]string{"COLUMNS": columns}[name] }})
		require.Equal(t, want, a.Width(&bytes.Buffer{}), columns)
		for _, args := range [][]string{
			{"plan", "--lab=new", "examples/rack-v1-pfc"},
			{"plan", "--lab=new", "--expand", "examples/rack-v1-pfc"},
			{"apply", "--lab=new", "--auto-approve", "--soak", "1s", "examples/rack-v1-pfc"},
			{"verify", "--lab=new", "examples/rack-v1-pfc"},
		} {
			if columns != "80" && args[0] != "plan" {
				continue
			}
			code, out, errs := rocec(t, args...)
			require.Contains(t, []int{exit.Good, exit.Errors}, code, "%v: %s", args, errs)
			viewtest.Fits(t, out+errs, want)
		}
		for _, cmd := range newRoot(newApp(&person.Person{Getenv: a.Getenv})).Commands() {
			_, out, errs := rocec(t, cmd.Name(), "--help")
			viewtest.Fits(t, out+errs, want)
		}
		for _, args := range [][]string{{"help", "change"}, {"help", "flags"}, {"explain"}} {
			_, out, _ := rocec(t, args...)
			viewtest.Fits(t, out, want)
		}
	}
}
