package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
)

// editing is an editor that talks to the real program over its pipes.
type editing struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	ids    int
	latest map[string][]map[string]any // diagnostics, by URI
	told   map[string]bool             // since the last wait for them
}

func edit(t *testing.T, args ...string) *editing {
	t.Helper()
	cmd := exec.Command("rocec", append([]string{"lsp"}, args...)...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended, if all went well
	heard := &heard{came: make(chan struct{}, 1)}
	go heard.take(out)
	s := &editing{t: t, cmd: cmd, in: in, out: bufio.NewReader(heard), latest: map[string][]map[string]any{}, told: map[string]bool{}}
	s.ask("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": nil,
		"capabilities": map[string]any{
			"general":      map[string]any{"positionEncodings": []string{"utf-8"}},
			"textDocument": map[string]any{"publishDiagnostics": map[string]any{"relatedInformation": true}},
		},
	})
	s.tell("initialized", map[string]any{})
	return s
}

// heard buffers the output of a program until a test reads it. A test may open many files before it reads, and a program with a full pipe
// would stop reading them.
type heard struct {
	mu    sync.Mutex
	bytes bytes.Buffer
	err   error // the error at the end of the program's output
	came  chan struct{}
}

func (h *heard) take(out io.Reader) {
	for b := make([]byte, 4096); ; {
		n, err := out.Read(b)
		h.mu.Lock()
		h.bytes.Write(b[:n])
		h.err = err
		h.mu.Unlock()
		select {
		case h.came <- struct{}{}:
		default: // the reader already has a signal
		}
		if err != nil {
			return
		}
	}
}

func (h *heard) Read(b []byte) (int, error) {
	for {
		h.mu.Lock()
		if h.bytes.Len() > 0 || h.err != nil {
			defer h.mu.Unlock()
			if h.bytes.Len() == 0 {
				return 0, h.err
			}
			return h.bytes.Read(b)
		}
		h.mu.Unlock()
		<-h.came
	}
}

func (s *editing) send(m map[string]any) {
	s.t.Helper()
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	require.NoError(s.t, err)
	_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	require.NoError(s.t, err)
}

func (s *editing) tell(method string, params any) {
	s.t.Helper()
	s.send(map[string]any{"method": method, "params": params})
}

// next reads a message, and stores diagnostics.
func (s *editing) next() map[string]any {
	s.t.Helper()
	length := 0
	for {
		line, err := s.out.ReadString('\n')
		require.NoError(s.t, err)
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, err = strconv.Atoi(v)
			require.NoError(s.t, err)
		}
	}
	body := make([]byte, length)
	_, err := io.ReadFull(s.out, body)
	require.NoError(s.t, err)
	var m map[string]any
	require.NoError(s.t, json.Unmarshal(body, &m))
	if p, ok := m["params"].(map[string]any); ok && m["method"] == "textDocument/publishDiagnostics" {
		var ds []map[string]any
		for _, d := range p["diagnostics"].([]any) {
			ds = append(ds, d.(map[string]any))
		}
		s.latest[p["uri"].(string)], s.told[p["uri"].(string)] = ds, true
	}
	return m
}

// ask sends a request and returns its result.
func (s *editing) ask(method string, params any) any {
	s.t.Helper()
	m := s.request(method, params)
	require.Nil(s.t, m["error"], "%s", method)
	return m["result"]
}

// request sends a request and returns the answer. The program has then read all earlier messages.
func (s *editing) request(method string, params any) map[string]any {
	s.t.Helper()
	s.ids++
	s.send(map[string]any{"id": s.ids, "method": method, "params": params})
	for {
		if m := s.next(); m["id"] == float64(s.ids) {
			return m
		}
	}
}

func (s *editing) open(name string, text []byte) {
	s.t.Helper()
	s.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uriOf(name), "languageId": "hcl", "version": 1,
		"text": string(text),
	}})
}

// settle waits until a file's diagnostics have arrived.
func (s *editing) settle(name string) {
	s.t.Helper()
	for !s.told[uriOf(name)] {
		s.next()
	}
	delete(s.told, uriOf(name))
}

func (s *editing) end() {
	s.t.Helper()
	s.ask("shutdown", nil)
	s.tell("exit", nil)
	require.NoError(s.t, s.cmd.Wait())
}

func uriOf(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(name)}).String()
}

// lines writes diagnostics as lines of place, severity, code and message, sorted as the program sorts them.
func (s *editing) lines(dir string) []string {
	var out []string
	for uri, ds := range s.latest {
		u, err := url.Parse(uri)
		require.NoError(s.t, err)
		for _, d := range ds {
			at := d["range"].(map[string]any)["start"].(map[string]any)
			end := d["range"].(map[string]any)["end"].(map[string]any)
			message := strings.Split(d["message"].(string), "\n")
			out = append(out, fmt.Sprintf("%s:%v:%v-%v:%v %v %v %s", strings.TrimPrefix(u.Path, dir+"/"), at["line"], at["character"], end["line"],
				end["character"],
				d["severity"], d["code"], strings.Join(message[:min(2, len(message))], ": ")))
		}
	}
	return out
}

// wanted returns the findings of validate in the form of lines.
func wanted(f *report.Report, dir string) []string {
	var out []string
	for _, d := range f.Diags {
		severity := map[diag.Severity]int{diag.Error: 1, diag.Warning: 2, diag.Notice: 3}[d.Severity]
		src := f.Source.Files[d.At.Filename]
		byteColumn := func(offset int) int { return offset - (strings.LastIndexByte(string(src[:offset]), '\n') + 1) }
		out = append(out, fmt.Sprintf("%s:%d:%d-%d:%d %d %s %s: %s", strings.TrimPrefix(d.At.Filename, dir+"/"), d.At.Start.Line-1,
			byteColumn(d.At.Start.Byte),
			d.At.End.Line-1, byteColumn(d.At.End.Byte), severity, d.Code, d.Summary, d.Detail))
	}
	return out
}

// In every example, the editor gets exactly the findings of validate.
func TestEditorHearsWhatValidateSays(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs("../../examples")
	require.NoError(t, err)
	entries, err := os.ReadDir(examples)
	require.NoError(t, err)
	s := edit(t)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		dir := filepath.Join(examples, e.Name())
		names, err := filepath.Glob(filepath.Join(dir, "*.hcl"))
		require.NoError(t, err)
		for _, name := range names {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			s.open(name, src)
		}
		for _, name := range names {
			s.settle(name)
		}
		f, err := testApp().Load(dir)
		require.NoError(t, err)
		assert.ElementsMatch(t, wanted(f, dir), s.lines(dir), e.Name())
		for _, name := range names {
			s.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(name)}})
		}
		s.request("none", nil)
		assert.Empty(t, s.lines(dir), "%s: closed", e.Name())
	}
	s.end()
}

func testApp() *app {
	a := newApp(&person.Person{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" },
	})
	a.MaxObjects, a.Budget = 1_000_000, globals.DefaultBudget
	return a
}

// An unsaved text counts as if it were on disk. This includes new files and broken files.
func TestUnsavedTextsCount(t *testing.T) {
	entries, err := os.ReadDir("../../examples")
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		saved, unsaved := t.TempDir(), t.TempDir()
		require.NoError(t, os.CopyFS(saved, os.DirFS(filepath.Join("../../examples", e.Name()))))
		require.NoError(t, os.CopyFS(unsaved, os.DirFS(saved)))
		over := map[string][]byte{}
		put := func(name string, text string) {
			require.NoError(t, os.WriteFile(filepath.Join(saved, name), []byte(text), 0o644))
			over[filepath.ToSlash(filepath.Join(unsaved, name))] = []byte(text)
		}
		same := func(what string) {
			t.Helper()
			want, err := testApp().Load(saved)
			require.NoError(t, err)
			got, err := testApp().LoadOver(t.Context(), unsaved, over, nil)
			require.NoError(t, err)
			require.Equal(t, wanted(want, saved), wanted(got, unsaved), "%s: %s", e.Name(), what)
		}
		same("nothing changed")
		put("zz_new.hcl", "cos_group \"late\" { cos = 8 }\n")
		same("a new file")
		put("zz_new.hcl", "cos_group \"late\" {")
		same("a broken file")
		put("zz_new.hcl", "")
		src, err := os.ReadFile(filepath.Join(saved, "fabric.hcl"))
		require.NoError(t, err)
		put("fabric.hcl", strings.Replace(string(src), "cos ", "coss ", 1))
		same("a changed file")
	}
}

// A run that is cancelled ends without the later stages.
func TestCancelledLoad(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, err := testApp().LoadOver(ctx, "../../examples/clos-v2-ecn", nil, nil)
	require.NoError(t, err)
	require.NotNil(t, f.Source)
	require.Nil(t, f.Fabric)
	require.Nil(t, f.Tree())
}

// One session with the real program, over the files of an example.
func TestEditorSession(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/clos-v2-ecn")))
	s := edit(t, "--var", "spines=1")
	texts := map[string]string{}
	for _, base := range []string{"fabric.hcl", "devices.hcl", "cabling.hcl"} {
		src, err := os.ReadFile(filepath.Join(dir, base))
		require.NoError(t, err)
		texts[base] = string(src)
		s.open(filepath.Join(dir, base), src)
	}
	for base := range texts {
		s.settle(filepath.Join(dir, base))
	}
	// in returns the place of the | in the first occurrence of some bytes of a file: "cos_group \"rd|ma".
	in := func(base, marked string) map[string]any {
		t.Helper()
		before, after, _ := strings.Cut(marked, "|")
		i := strings.Index(texts[base], before+after)
		require.GreaterOrEqual(t, i, 0, marked)
		i += len(before)
		line := strings.Count(texts[base][:i], "\n")
		return map[string]any{
			"textDocument": map[string]any{"uri": uriOf(filepath.Join(dir, base))},
			"position":     map[string]any{"line": line, "character": i - (strings.LastIndexByte(texts[base][:i], '\n') + 1)},
		}
	}
	for _, tc := range []struct {
		base, marked string
		want         []string
	}{
		{"fabric.hcl", `cos_group "rd|ma"`, []string{
			`**cos_group "rdma"**`, "26 (af31)", "- lossless: yes (fabric.hcl:17)",
			"**72 switch ports**", "headroom needed", "marking of rdma",
		}},
		{"fabric.hcl", `cos_group = cos_group.rd|ma`, []string{`**cos_group "rdma"**`}},
		{"fabric.hcl", `fabric "tr|ain"`, []string{"- devices: 69", "free of PFC loops"}},
		{"fabric.hcl", `roce "tr|aining"`, []string{"- members: 64 interfaces"}},
		{"fabric.hcl", `variable "sp|ines"`, []string{"- value: 1 (--var 1:1 given here)"}},
		{"fabric.hcl", `members   = [host.g|pu]`, []string{"**64 devices**", "ConnectX-5"}},
		{"fabric.hcl", `los|sless = true`, []string{"`lossless` (bool, default false)"}},
		{"devices.hcl", `switch "le|af"`, []string{"**4 devices**", "- names: leaf[01-04]", "Mellanox SN2700", "cumulus-linux 3.7.16"}},
		{"devices.hcl", `names   = "leaf[|01-04]"`, []string{"**4 devices**", "of switch.leaf (sn2700)"}},
		{"devices.hcl", `mo|del   = "sn2700"`, []string{"`model` (string, required)"}},
		{"devices.hcl", `self.in|dex`, []string{"from 0"}},
		{"cabling.hcl", `"gpu[001-064]:ens|1f0"`, []string{"**gpu001:ens1f0, the first of 64 ports**", "- cabled: leaf01:swp1"}},
		{"cabling.hcl", `link "ho|sts"`, []string{"- cables: 64", "- length: 3 m"}},
	} {
		h := s.ask("textDocument/hover", in(tc.base, tc.marked))
		require.NotNil(t, h, tc.marked)
		text := strings.ReplaceAll(h.(map[string]any)["contents"].(map[string]any)["value"].(string), "\\", "")
		for _, w := range tc.want {
			assert.Contains(t, text, w, tc.marked)
		}
	}
	line := func(v any) string {
		l := v.(map[string]any)
		return fmt.Sprintf("%s:%v", filepath.Base(l["uri"].(string)), l["range"].(map[string]any)["start"].(map[string]any)["line"])
	}
	where := func(method, base, marked string) (out []string) {
		t.Helper()
		for _, l := range s.ask(method, in(base, marked)).([]any) {
			out = append(out, line(l))
		}
		return out
	}
	assert.Equal(t, []string{"devices.hcl:5"}, where("textDocument/definition", "cabling.hcl", `b      = "leaf|[01-04]`))
	assert.Equal(t, []string{"devices.hcl:27"}, where("textDocument/definition", "cabling.hcl", `"gpu[001-064]:ens|1f0"`))
	assert.Equal(t, []string{"fabric.hcl:2"}, where("textDocument/definition", "cabling.hcl", `var.sp|ines`))
	assert.Equal(t, []string{"cabling.hcl:2", "cabling.hcl:8"}, where("textDocument/references", "devices.hcl", `names   = "leaf|[01-04]"`))

	labels := func(base, marked string) (out []string) {
		t.Helper()
		for _, item := range s.ask("textDocument/completion", in(base, marked)).(map[string]any)["items"].([]any) {
			out = append(out, item.(map[string]any)["label"].(string))
		}
		return out
	}
	assert.Subset(t, labels("devices.hcl", `model   = "|sn2700"`), []string{"sn2700", "sn3700"})
	assert.Subset(t, labels("devices.hcl", `model = "connectx-|5"`), []string{"connectx-5", "connectx-6"})
	assert.Subset(t, labels("cabling.hcl", `"leaf[01-04]:swp|[1-16]"`), []string{"swp1", "swp32"})
	assert.Equal(t, []string{"ens1f0"}, labels("cabling.hcl", `"gpu[001-064]:e|ns1f0"`))
	assert.Equal(t, []string{"rdma"}, labels("fabric.hcl", `cos_group = cos_group.r|dma`))

	// For a name with a small mistake, the editor gets a finding and an action that fixes it.
	name := filepath.Join(dir, "fabric.hcl")
	broken := strings.Replace(texts["fabric.hcl"], "cos_group.rdma", "cos_group.rmda", 1)
	s.tell("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uriOf(name), "version": 2}, "contentChanges": []map[string]any{{"text": broken}},
	})
	s.told = map[string]bool{}
	s.settle(name)
	require.Len(t, s.latest[uriOf(name)], 1)
	assert.Equal(t, "unknown-reference", s.latest[uriOf(name)][0]["code"])
	actions := s.ask("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": uriOf(name)}, "range": s.latest[uriOf(name)][0]["range"],
		"context": map[string]any{"diagnostics": []any{}},
	}).([]any)
	require.Len(t, actions, 1)
	edit := actions[0].(map[string]any)["edit"].(map[string]any)["changes"].(map[string]any)[uriOf(name)].([]any)[0].(map[string]any)
	texts["fabric.hcl"] = broken
	at := in("fabric.hcl", "cos_group.|rmda")["position"].(map[string]any)
	assert.Equal(t, map[string]any{
		"start": map[string]any{"line": float64(at["line"].(int)), "character": float64(at["character"].(int))},
		"end":   map[string]any{"line": float64(at["line"].(int)), "character": float64(at["character"].(int) + 4)},
	}, edit["range"])
	assert.Equal(t, "rdma", edit["newText"])
	s.end()
}

// In a module's file, a hover covers all instances of the module.
func TestEditorInAModule(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/modules")))
	name := filepath.Join(dir, "pod", "pod.hcl")
	src, err := os.ReadFile(name)
	require.NoError(t, err)
	s := edit(t)
	s.open(name, src)
	s.settle(name)
	for _, tc := range []struct{ marked, want string }{
		{`switch "le|af"`, "**16 devices**\n\n- names: a-leaf[1-8] and b-leaf[1-8]"},
		{`variable "num|ber"`, "**var.number in module.pod[a]**\n\n- value: 1 (fabric.hcl:17"},
		{`variable "num|ber"`, "**var.number in module.pod[b]**\n\n- value: 2 (fabric.hcl:17"},
		{`local.le|afs`, "a-leaf[1-8]"},
		{`link "ho|sts"`, "- cables: 256"},
	} {
		before, after, _ := strings.Cut(tc.marked, "|")
		i := strings.Index(string(src), before+after) + len(before)
		line := strings.Count(string(src[:i]), "\n")
		h := s.ask("textDocument/hover", map[string]any{
			"textDocument": map[string]any{"uri": uriOf(name)},
			"position":     map[string]any{"line": line, "character": i - (strings.LastIndexByte(string(src[:i]), '\n') + 1)},
		})
		require.NotNil(t, h, tc.marked)
		text := strings.ReplaceAll(h.(map[string]any)["contents"].(map[string]any)["value"].(string), "\\", "")
		assert.Contains(t, text, tc.want)
	}
	s.end()
}

func TestEditorThatForgetsToShutDown(t *testing.T) {
	s := edit(t)
	s.tell("exit", nil)
	require.Error(t, s.cmd.Wait())
	require.Equal(t, 1, s.cmd.ProcessState.ExitCode())
}

// The hover text of a code comes from its page, with links that work in any folder.
func TestLSPAboutCode(t *testing.T) {
	text := aboutCode("mtu-uneven")
	assert.Contains(t, text, "**mtu-uneven**: members with different RDMA MTUs\n\nThe RDMA MTU follows")
	assert.Contains(t, text, "[rocec explain rdma-mtu](https://github.com/rocec/rocec/blob/main/docs/checks/rdma-mtu.md)")
	assert.Contains(t, text, "](https://github.com/rocec/rocec/blob/main/docs/checks/mtu-uneven.md)")
	assert.NotContains(t, text, "```")
	assert.Empty(t, aboutCode("apply"))
}
