package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab"
)

// rocecWith runs rocec with the given environment variables.
func rocecWith(t *testing.T, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &person.Person{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: environ, Getenv: func(name string) string {
		if name == "COLUMNS" {
			return "1000"
		}
		return getenv(t, name)
	}}
	code = run(context.Background(), p, args)
	return code, out.String(), errs.String()
}

// withVariables returns a standing rack whose fabric has two variables, and a file of values.
func withVariables(t *testing.T) (dir, values string, devices *lab.Lab) {
	t.Helper()
	dir, devices = standing(t)
	file := filepath.Join(dir, "fabric.hcl")
	hcl, err := os.ReadFile(file)
	require.NoError(t, err)
	text := strings.Replace(string(hcl), "weight   = 50", "weight   = var.weight", 1) +
		"\nvariable \"weight\" {\n  type    = number\n  default = 50\n}\n\nvariable \"owner\" {\n  type    = string\n  default = \"\"\n}\n"
	require.NotContains(t, text, "weight   = 50")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	values = filepath.Join(dir, "it's mine.values")
	require.NoError(t, os.WriteFile(values, []byte("weight = 50\n"), 0o644))
	return dir, values, devices
}

// An apply of a saved plan names the inputs of the plan again. It refuses every difference before it asks a device, and the message has
// the right command. The plan file contains no value.
func TestSavedPlanIsNamedAgain(t *testing.T) {
	dir, values, devices := withVariables(t)
	saved := filepath.Join(t.TempDir(), "p lan")
	env := []string{"ROCEC_VAR_owner=s3cret-of-environment"}
	with := []string{"--var-file", values, "--var", "weight=51", "--var", "owner=s3cret's value", "--target", "tor1,store1", "--target", "!store2"}
	code, stdout, stderr := rocecWith(t, env, slices.Concat([]string{"plan", "--out", saved}, with, []string{dir})...)
	require.Equal(t, exit.Good, code, stdout+stderr)
	command := "rocec apply --plan '" + saved + "' --var-file '" + strings.ReplaceAll(values, "'", `'\''`) +
		`' --var 'owner=s3cret'\''s value' --var weight=51 --target tor1,store1 --target '!store2' ` + dir
	assert.Contains(t, stderr, "saved; apply it with: "+command+"\n")
	assert.Contains(t, stderr, "Apply it with these environment variables as they are now: ROCEC_VAR_owner.")
	data, err := os.ReadFile(saved)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "s3cret")
	assert.NotContains(t, string(data), "weight=")
	code, stdout, _ = rocecWith(t, nil, "show", "--plan", saved)
	require.Equal(t, exit.Good, code)
	assert.Contains(t, stdout, "variables   owner weight\n")
	assert.Contains(t, stdout, "It is not a signature")

	other := filepath.Join(t.TempDir(), "other.values")
	require.NoError(t, os.WriteFile(other, []byte("weight = 50\n"), 0o644))
	without := func(drop int, args ...string) []string { return slices.Concat(with[:drop], with[drop+2:], args) }
	writes := devices.Device("tor1").Writes()
	for _, c := range []struct {
		name string
		args []string
		env  []string
		code int
		says string
	}{
		{"nothing", nil, env, exit.Usage, "--var: the plan has \"owner\" and \"weight\", this command has none"},
		{"no var-file", without(0), env, exit.Usage, "--var-file: the plan has "},
		{"another var-file", without(0, "--var-file", other), env, exit.Usage, "--var-file: the plan has "},
		{"a second var-file", slices.Concat(with, []string{"--var-file", other}), env, exit.Usage, "--var-file: the plan has "},
		{"no weight", without(2), env, exit.Usage, "--var weight=VALUE"},
		{"another weight", without(2, "--var", "weight=52"), env, exit.Machines, `a value of "owner", "weight" and "ROCEC_VAR_owner"`},
		{"a later weight", slices.Concat(with, []string{"--var", "weight=52"}), env, exit.Machines, "changed after the plan was made"},
		{"another line of a value", without(4, "--var", "owner=s3cret's value\nmore"), env, exit.Machines, "changed after the plan was made"},
		{"no target", with[:6], env, exit.Usage, `--target: the plan has "tor1,store1" and "!store2", this command has none`},
		{"fewer targets", with[:8], env, exit.Usage, "--target: the plan has "},
		{"another target", without(6, "--target", "store3"), env, exit.Usage, "--target: the plan has "},
		{"only intent", slices.Concat(with, []string{"--adopt-derived"}), env, exit.Usage, "the plan was made without --adopt-derived"},
		{"no environment", with, nil, exit.Usage, `environment: the plan has "ROCEC_VAR_owner", this command has none`},
		{"another environment", with, []string{"ROCEC_VAR_owner=x"}, exit.Machines, "changed after the plan was made"},
	} {
		code, stdout, stderr := rocecWith(t, c.env, slices.Concat([]string{"apply", "--auto-approve", "--plan", saved}, c.args, []string{dir})...)
		require.Equal(t, c.code, code, "%s: %s%s", c.name, stdout, stderr)
		assert.Contains(t, stderr, c.says, c.name)
		assert.Contains(t, stderr, "Nothing was changed", c.name)
		if c.code == exit.Usage {
			assert.Contains(t, stderr, "\nTo apply it with its own inputs: rocec apply --plan '"+saved+"' ", c.name)
		}
		assert.Empty(t, stdout, c.name)
	}

	// The file of values changed after the plan.
	require.NoError(t, os.WriteFile(values, []byte("weight = 53\n"), 0o644))
	apply := slices.Concat([]string{"apply", "--auto-approve", "--soak", "0s", "--plan", saved}, with, []string{dir})
	code, _, stderr = rocecWith(t, env, apply...)
	require.Equal(t, exit.Machines, code)
	assert.Contains(t, stderr, "a file of --var-file")
	require.Equal(t, writes, devices.Device("tor1").Writes())
	require.NoError(t, os.WriteFile(values, []byte("weight = 50\n"), 0o644))

	// The fabric is the one that the person names, or the folder that rocec runs in.
	elsewhere := t.TempDir()
	require.NoError(t, os.CopyFS(elsewhere, os.DirFS(dir)))
	code, _, stderr = rocecWith(t, env, slices.Concat([]string{"apply", "--auto-approve", "--plan", saved}, with, []string{elsewhere})...)
	require.Equal(t, exit.Usage, code)
	assert.Contains(t, stderr, command, "it names the fabric of the plan")
	t.Chdir(t.TempDir())
	code, _, stderr = rocecWith(t, env, slices.Concat([]string{"apply", "--auto-approve", "--plan", saved}, with)...)
	require.Equal(t, exit.Usage, code, "a folder without a fabric")
	assert.Contains(t, stderr, command, "it names the fabric of the plan there, too")
	t.Chdir(dir)
	code, stdout, stderr = rocecWith(t, env, apply[:len(apply)-1]...)
	require.Equal(t, exit.Good, code, stdout+stderr)
	assert.Contains(t, stdout, "2 applied")
}

// rocec never writes a plan file that another user can write: an existing file loses these mode bits.
func TestSavedPlanMode(t *testing.T) {
	t.Parallel()
	dir, _, _ := withVariables(t)
	for _, c := range []struct{ was, is os.FileMode }{{0, 0o600}, {0o644, 0o644}, {0o666, 0o644}, {0o620, 0o600}} {
		saved := filepath.Join(t.TempDir(), "p")
		if c.was != 0 {
			require.NoError(t, os.WriteFile(saved, nil, 0o600))
			require.NoError(t, os.Chmod(saved, c.was))
		}
		code, stdout, stderr := rocec(t, "plan", "--target", "tor1", "--out", saved, dir)
		require.Equal(t, exit.Good, code, stdout+stderr)
		info, err := os.Stat(saved)
		require.NoError(t, err)
		assert.Equal(t, c.is, info.Mode().Perm(), "%04o", c.was)
		code, _, _ = rocec(t, "show", "--plan", saved)
		assert.Equal(t, exit.Good, code)
	}
}

// forged returns a plan file with a matching digest. Any person with write access to the file can forge it like this.
func forged(t *testing.T, data []byte, forge func(*deploy.Saved)) []byte {
	t.Helper()
	encode := func(s *deploy.Saved) []byte {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		require.NoError(t, e.Encode(s))
		return b.Bytes()
	}
	var s deploy.Saved
	require.NoError(t, json.Unmarshal(data, &s))
	forge(&s)
	s.Digest = ""
	sum := sha256.Sum256(encode(&s))
	s.Digest = hex.EncodeToString(sum[:])
	return encode(&s)
}

// For any content of a saved plan, an apply with the plan does the same as without it, or nothing. The test compares the plans that apply
// shows before it asks.
func TestForgedPlans(t *testing.T) {
	t.Parallel()
	machinetest.Long(t)
	dir, _, devices := withVariables(t)
	elsewhere := t.TempDir()
	require.NoError(t, os.CopyFS(elsewhere, os.DirFS(dir)))
	saved := filepath.Join(t.TempDir(), "p")
	apply := []string{"apply", "--target", "tor1", "--var", "weight=51", dir}
	code, stdout, stderr := rocecWith(t, nil, "plan", "--target", "tor1", "--var", "weight=51", "--out", saved, dir)
	require.Equal(t, exit.Good, code, stdout+stderr)
	honest, err := os.ReadFile(saved)
	require.NoError(t, err, stdout+stderr)
	_, plain, asks := rocecWith(t, nil, apply...)
	require.Contains(t, asks, "--auto-approve", "it stops where it would ask")
	writes := devices.Device("tor1").Writes()

	evil := "\x1b]0;evil\x07\n::add-mask::x\u202e\u009b"
	first := func(s *deploy.Saved) *deploy.SavedDevice { return &s.Devices[0] }
	passes := map[string]bool{}
	try := func(name string, data []byte) {
		t.Helper()
		require.NoError(t, os.WriteFile(saved, data, 0o600))
		for _, verb := range [][]string{slices.Insert(slices.Clone(apply), 1, "--plan", saved), {"show", "--plan", saved}} {
			code, stdout, stderr := rocecWith(t, nil, verb...)
			assert.NotRegexp(t, "[\x00-\x08\x0b-\x1f\x7f\u009b\u202e]", stdout+stderr, name)
			assert.NotRegexp(t, regexp.MustCompile(`(?m)^::`), stderr, name)
			assert.Less(t, len(stderr), 8192, name)
			if verb[0] != "apply" {
				continue
			}
			assert.NotEqual(t, exit.Good, code, name)
			if passes[name] = stderr == asks; passes[name] {
				assert.Equal(t, plain, stdout, name)
			} else {
				assert.Empty(t, stdout, name)
			}
		}
		assert.Equal(t, writes, devices.Device("tor1").Writes(), name)
	}
	try("honest", honest)
	forgeries := map[string]func(*deploy.Saved){
		"more variables":    func(s *deploy.Saved) { s.Variables = append(s.Variables, "x") },
		"no variables":      func(s *deploy.Saved) { s.Variables = nil },
		"values":            func(s *deploy.Saved) { s.Variables = []string{"weight=99"} },
		"an environment":    func(s *deploy.Saved) { s.Environment = []string{"weight"} },
		"a var file":        func(s *deploy.Saved) { s.VarFiles = []string{"/etc/passwd"} },
		"all targets":       func(s *deploy.Saved) { s.Targets = nil },
		"another target":    func(s *deploy.Saved) { s.Targets = []string{"store1"} },
		"more targets":      func(s *deploy.Saved) { s.Targets = append(s.Targets, "store1") },
		"another fabric":    func(s *deploy.Saved) { s.Fabric = elsewhere },
		"the folder of all": func(s *deploy.Saved) { s.Fabric = "/" },
		"only intent":       func(s *deploy.Saved) { s.AdoptDerived = true },
		"other inputs":      func(s *deploy.Saved) { s.Inputs = strings.Repeat("0", 64) },
		"another rocec":     func(s *deploy.Saved) { s.Tool = evil },
		"no host keys":      func(s *deploy.Saved) { first(s).HostKey = "" },
		"no devices":        func(s *deploy.Saved) { s.Devices = nil },
		"another device":    func(s *deploy.Saved) { first(s).Name = evil },
		"more devices": func(s *deploy.Saved) {
			s.Devices = append(s.Devices, deploy.SavedDevice{Name: "store1", Status: "change"})
		},
		"a device twice":      func(s *deploy.Saved) { s.Devices = append(s.Devices, *first(s)) },
		"unreachable":         func(s *deploy.Saved) { first(s).Status = deploy.StatusUnreachable },
		"refused":             func(s *deploy.Saved) { first(s).Status = deploy.StatusRefused },
		"same":                func(s *deploy.Saved) { first(s).Status = deploy.StatusSame },
		"others":              func(s *deploy.Saved) { first(s).Status = deploy.StatusOthers },
		"no such status":      func(s *deploy.Saved) { first(s).Status = deploy.Status(evil) },
		"no files":            func(s *deploy.Saved) { first(s).Files = nil },
		"another path":        func(s *deploy.Saved) { first(s).Files[0].Path = "/etc/shadow" },
		"another base":        func(s *deploy.Saved) { first(s).Files[0].Base = evil },
		"another target hash": func(s *deploy.Saved) { first(s).Files[0].Target = "absent" },
		"controls": func(s *deploy.Saved) {
			s.Fabric, s.Variables, s.Environment, s.VarFiles, s.Targets = evil, []string{evil}, []string{evil}, []string{evil}, []string{evil}
		},
		"long": func(s *deploy.Saved) {
			s.Fabric, s.Targets = strings.Repeat("x", 1<<20), slices.Repeat([]string{"y"}, 1<<16)
		},
		"another form": func(s *deploy.Saved) { s.FormatVersion = "9.9" + evil },
	}
	for name, forge := range forgeries {
		try(name, forged(t, honest, forge))
	}
	for name, data := range map[string][]byte{
		"empty": nil, "cut": honest[:len(honest)/2], "nested": bytes.Repeat([]byte("["), 1<<20), "nothing": []byte("{}"),
		"a key twice":       bytes.Replace(honest, []byte(` "tool"`), []byte(" \"tool\": \"x\",\n \"tool\""), 1),
		"another case":      bytes.Replace(honest, []byte(`"targets"`), []byte(`"Targets"`), 1),
		"a field more":      bytes.Replace(honest, []byte(` "tool"`), []byte(" \"approve\": true,\n \"tool\""), 1),
		"a digest of none":  bytes.Replace(honest, []byte(`"digest": "`), []byte(`"digest": "0`), 1),
		"text behind it":    append(bytes.Clone(honest), "{}"...),
		"invalid UTF-8":     bytes.Replace(honest, []byte(`"tor1"`), []byte("\"tor1\xff\""), 1),
		"a mark at its top": append([]byte("\xef\xbb\xbf"), honest...),
	} {
		try(name, data)
	}
	var passed []string
	for name, ok := range passes {
		if ok {
			passed = append(passed, name)
		}
	}
	slices.SortFunc(passed, cmp.Compare)
	assert.Contains(t, passed, "honest")
	t.Log("asked as without --plan:", passed)
}
