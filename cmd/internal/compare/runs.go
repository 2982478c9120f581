package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// comparer runs both binaries with the same commands.
type comparer struct {
	*options
	ignored map[string]bool // members that may differ
	scratch string          // folder for the output of build
}

// question is one run of a binary.
type question struct {
	name   string                 // as it is shown
	args   []string               // of rocec
	writes bool                   // the command needs -o and a folder
	shape  func(document any) any // the part of its JSON document that is compared; nil: all
}

// answer is the result of a run of a binary.
type answer struct {
	status   int // exit status; -1: killed
	stdout   []byte
	panicked string            // the first line of a crash
	tree     map[string]string // description of every written file
}

// compareAll compares the inputs, several at a time. The differences are in the order of the inputs.
func (c *comparer) compareAll(ctx context.Context, inputs []input) (found []difference, runs int, err error) {
	all := make([][]difference, len(inputs))
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(c.jobs)
	for i, in := range inputs {
		g.Go(func() error {
			ds, n, err := c.compare(ctx, in, filepath.Join(c.scratch, fmt.Sprint("run", i)))
			mu.Lock()
			defer mu.Unlock()
			all[i], runs = ds, runs+n
			return err
		})
	}
	err = g.Wait()
	return slices.Concat(all...), runs, err
}

// compare compares one input. Scratch is a folder that compare creates and removes.
func (c *comparer) compare(ctx context.Context, in input, scratch string) (found []difference, runs int, err error) {
	defer os.RemoveAll(scratch) //nolint:errcheck // the folder above goes, too
	questions, err := c.questions(ctx, in)
	if err != nil {
		return nil, 0, err
	}
	for _, q := range questions {
		before, err := c.ask(ctx, c.old, in, q, filepath.Join(scratch, "old"))
		if err != nil {
			return nil, 0, err
		}
		after, err := c.ask(ctx, c.new, in, q, filepath.Join(scratch, "new"))
		if err != nil {
			return nil, 0, err
		}
		for _, d := range c.differences(q, before, after) {
			d.input = in.name
			found = append(found, d)
		}
	}
	return found, len(questions), nil
}

// questions returns the commands that both binaries run on an input.
func (c *comparer) questions(ctx context.Context, in input) ([]question, error) {
	ask := func(name string, args ...string) question {
		return question{name: name, args: append(args, in.args...)}
	}
	sarif := func(args ...string) question {
		q := ask("validate sarif", args...)
		q.shape = c.shapeSARIF
		return q
	}
	if in.device {
		return []question{
			ask("validate json", "validate", "--format", "json", "--device-config", in.dir),
			sarif("validate", "--format", "sarif", "--device-config", in.dir),
		}, nil
	}
	build := ask("build", "build", "-q", in.dir)
	build.writes = true
	out := []question{
		ask("validate json", "validate", "--format", "json", in.dir),
		sarif("validate", "--format", "sarif", in.dir),
		build,
	}
	if !c.show && !c.trace {
		return out, nil
	}
	shown, pairs, err := c.names(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, name := range shown {
		out = append(out, ask("show "+name, "show", "--format", "json", in.dir, name))
	}
	for _, p := range pairs {
		out = append(out, ask("trace "+p[0]+" "+p[1], "trace", "--format", "json", in.dir, p[0], p[1]))
	}
	return out, nil
}

// names returns the arguments of show and trace: the first and last switch and host, a port of each, and pairs of near and far hosts.
func (c *comparer) names(ctx context.Context, in input) (shown []string, pairs [][2]string, err error) {
	graph := question{name: "graph", args: append([]string{"graph", "--format", "json", in.dir}, in.args...)}
	a, err := c.ask(ctx, c.old, in, graph, "")
	if err != nil || len(a.stdout) == 0 { // a fabric that does not compile has no graph
		return nil, nil, err
	}
	var doc struct {
		Devices []struct{ Name, Kind string }
		Links   []struct{ A, B struct{ Device, Port string } }
	}
	if err := json.Unmarshal(a.stdout, &doc); err != nil {
		return nil, nil, fmt.Errorf("%s: graph --format json: %w", in.name, err)
	}
	byKind := map[string][]string{}
	for _, d := range doc.Devices {
		byKind[d.Kind] = append(byKind[d.Kind], d.Name)
	}
	port := map[string]string{} // a port of each device
	for _, l := range doc.Links {
		port[l.A.Device], port[l.B.Device] = l.A.Port, l.B.Port
	}
	if c.show {
		for _, kind := range slices.Sorted(maps.Keys(byKind)) {
			all := byKind[kind]
			for _, d := range slices.Compact([]string{all[0], all[len(all)-1]}) {
				shown = append(shown, d)
				if p, ok := port[d]; ok {
					shown = append(shown, d+":"+p)
				}
			}
		}
	}
	if hosts := byKind["host"]; c.trace && len(hosts) > 1 {
		last := hosts[len(hosts)-1]
		pairs = [][2]string{{hosts[0], last}, {last, hosts[0]}}
		if len(hosts) > 2 {
			pairs = append(pairs, [2]string{hosts[0], hosts[1]})
		}
	}
	return shown, pairs, nil
}

// ask runs a binary. Dir is the folder to which the command writes, if any; it need not exist.
func (c *comparer) ask(ctx context.Context, binary string, in input, q question, dir string) (answer, error) {
	args := q.args
	if q.writes {
		args = append(slices.Clone(args), "-o", dir)
	}
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, binary, args...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ROCEC_") }), in.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if e := ctx.Err(); e != nil {
		return answer{}, e
	}
	a := answer{stdout: stdout.Bytes()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		a.status = exit.ExitCode()
	} else if err != nil {
		return a, err
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			a.panicked = strings.TrimSpace(line)
			break
		}
	}
	if !q.writes {
		return a, nil
	}
	a.tree, err = readTree(dir)
	return a, err
}

// readTree describes every file below a folder, which need not exist.
func readTree(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && file == dir {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		out[filepath.ToSlash(rel)] = fmt.Sprintf("%s %d bytes, sha256 %.12x", info.Mode(), len(data), sha256.Sum256(data))
		return err
	})
	return out, err
}

// differences compares the answers of two binaries to one question.
func (c *comparer) differences(q question, before, after answer) []difference {
	verb, _, _ := strings.Cut(q.name, " ")
	kind, where := q.name, ""
	if verb == "show" || verb == "trace" {
		kind, where = verb, strings.TrimPrefix(q.name, verb+" ")
	}
	var found []difference
	add := func(member, where, before, after string) {
		if before != after {
			found = append(found, difference{member: kind + ": " + member, where: where, old: before, new: after})
		}
	}
	add("exit status", where, fmt.Sprint(before.status), fmt.Sprint(after.status))
	if before.panicked != "" || after.panicked != "" || before.status < 0 || after.status < 0 { // a difference also where both do
		state := func(a answer) string {
			switch {
			case a.panicked != "":
				return a.panicked
			case a.status < 0:
				return "killed after " + c.timeout.String()
			}
			return "ends"
		}
		return append(found, difference{member: kind + ": crash", where: where, old: state(before), new: state(after)})
	}
	for _, file := range union(before.tree, after.tree) {
		old, new := absent, absent
		if s, ok := before.tree[file]; ok {
			old = s
		}
		if s, ok := after.tree[file]; ok {
			new = s
		}
		add("files", file, old, new)
	}
	if bytes.Equal(before.stdout, after.stdout) {
		return found
	}
	old, oldErr := parseJSON(before.stdout)
	new, newErr := parseJSON(after.stdout)
	if oldErr != nil || newErr != nil {
		add("output", where, string(before.stdout), string(after.stdout))
		return found
	}
	if q.shape != nil {
		old, new = q.shape(old), q.shape(new)
	}
	d := &documents{ignored: c.ignored, add: func(member, at, old, new string) {
		add(member, strings.TrimSpace(where+" "+at), old, new)
	}}
	d.compare("", "", old, new)
	return found
}

// parseJSON reads a document. Numbers stay as they are written.
func parseJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// union returns the keys of two maps, sorted.
func union[V any](a, b map[string]V) []string {
	keys := maps.Clone(a)
	if keys == nil {
		keys = map[string]V{}
	}
	maps.Copy(keys, b)
	return slices.Sorted(maps.Keys(keys))
}

// shapeSARIF returns the part of a SARIF log that is compared: the rule, level, places and suppressions of each result.
func (c *comparer) shapeSARIF(document any) any {
	var results []any
	for _, run := range list(member(document, "runs")) {
		for _, r := range list(member(run, "results")) {
			out := map[string]any{"ruleId": member(r, "ruleId"), "level": member(r, "level")}
			var places []any
			for _, l := range list(member(r, "locations")) {
				place := member(l, "physicalLocation")
				places = append(places, map[string]any{
					"uri": member(member(place, "artifactLocation"), "uri"), "region": member(place, "region"),
				})
			}
			out["locations"] = places
			if s := member(r, "suppressions"); s != nil {
				out["suppressions"] = len(list(s))
			}
			if c.fingerprints {
				out["partialFingerprints"] = member(r, "partialFingerprints")
			}
			results = append(results, out)
		}
	}
	return map[string]any{"results": results}
}

// member returns a member of an object, or nil.
func member(v any, name string) any {
	m, _ := v.(map[string]any)
	return m[name]
}

// list returns an array, or nil.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// place returns the place of a finding as FILE:LINE:COLUMN, from JSON or SARIF.
func place(v any) string {
	if r := member(v, "range"); r != nil {
		start := member(r, "start")
		return fmt.Sprintf("%v:%v:%v", path.Base(fmt.Sprint(member(r, "filename"))), member(start, "line"), member(start, "column"))
	}
	if l := list(member(v, "locations")); len(l) > 0 {
		r := member(l[0], "region")
		return fmt.Sprintf("%v:%v:%v", path.Base(fmt.Sprint(member(l[0], "uri"))), member(r, "startLine"), member(r, "startColumn"))
	}
	return ""
}
