package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/outline"
)

// disk is a backend on files in memory. It evaluates the language without further checks.
type disk struct {
	mu    sync.Mutex
	files map[string]string
	gate  func(ctx context.Context) // if set, called before every run
	list  func()                    // if set, called before every listing
	runs  int
}

func (d *disk) List(dir string) []string {
	if d.list != nil {
		d.list()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for name := range d.files {
		if path.Dir(name) == dir && path.Ext(name) == ".hcl" {
			out = append(out, name)
		}
	}
	return out
}

func (d *disk) Inside(_, module string) bool { return !strings.HasPrefix(module, "/outside/") }

func (d *disk) Read(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.files[name]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

func (d *disk) set(name, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = text
}

func (d *disk) Check(ctx context.Context, dir string, unsaved map[string][]byte) (*Result, error) {
	d.mu.Lock()
	d.runs++
	all := fstest.MapFS{}
	for name, s := range d.files {
		all[name[1:]] = &fstest.MapFile{Data: []byte(s)}
	}
	gate := d.gate
	d.mu.Unlock()
	for name, s := range unsaved {
		all[name[1:]] = &fstest.MapFile{Data: s}
	}
	if gate != nil {
		gate(ctx)
	}
	src, ds := lang.Load(slashed{all}, dir, lang.Options{Done: ctx.Done()})
	for _, s := range src.Switches {
		if s.Tier.V == 7 {
			d := ds.Warnf(s.Tier.At, "seven", "seven is unlucky", "Take 8.")
			d.Note(s.Model.At, "the model")
			d.Fix = &diag.Fix{Message: "Write 8.", Edits: []diag.Edit{{At: s.Tier.At, New: "8"}}}
		}
		if s.Tier.V == 13 {
			panic("thirteen")
		}
	}
	return &Result{Diagnostics: ds, Files: src.Files, Describe: func(t outline.Thing) string { return "**" + t.Name + "**" }}, nil
}

func (d *disk) Known() outline.Known { return outline.Known{SwitchModels: []string{"sn2700"}} }

// slashed serves files under absolute names.
type slashed struct{ fs fstest.MapFS }

func (s slashed) Open(name string) (fs.File, error) { return s.fs.Open(name[1:]) }

func (s slashed) ReadLink(name string) (string, error) { return "", fs.ErrInvalid }

func (s slashed) Lstat(name string) (fs.FileInfo, error) { return s.fs.Stat(name[1:]) }

// client is the client side of the protocol, over pipes.
type client struct {
	t     *testing.T
	in    io.WriteCloser
	read  chan json.RawMessage
	ended chan bool // gets whether the session ended cleanly
	ids   int
	later []json.RawMessage

	mu    sync.Mutex
	timer chan time.Time
}

func start(t *testing.T, d *disk) *client {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	c := &client{t: t, in: inWrite, read: make(chan json.RawMessage, 1000), ended: make(chan bool, 1)}
	done := make(chan struct{})
	s := New(d, Options{
		Version: "1", Help: func(code string) string { return "https://example.net/" + code },
		About: func(code string) string {
			if code == "bad-label" {
				return ""
			}
			return "about " + code
		},
		Ignore: func(d *diag.Diagnostic) bool { return d.Severity != diag.Error },
		Wait: func(d time.Duration) <-chan time.Time {
			require.Equal(t, 200*time.Millisecond, d)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.timer = make(chan time.Time, 1)
			return c.timer
		},
	})
	go func() {
		clean, _ := s.Run(t.Context(), inRead, outWrite)
		outWrite.Close()
		c.ended <- clean
		close(done)
	}()
	go func() {
		f := newFrames(outRead)
		for {
			body, err := f.next()
			if err != nil {
				close(c.read)
				return
			}
			c.read <- bytes.Clone(body)
		}
	}()
	t.Cleanup(func() { inWrite.Close(); outRead.Close(); <-done })
	return c
}

// begin starts a session with a server.
func begin(t *testing.T, files map[string]string, capabilities string) (*client, *disk) {
	t.Helper()
	d := &disk{files: files}
	c := start(t, d)
	c.call("initialize", json.RawMessage(`{"processId": 1, "rootUri": "file:///f", "capabilities": `+capabilities+`}`))
	c.tell("initialized", struct{}{})
	return c, d
}

func (c *client) send(m any) {
	c.t.Helper()
	body, ok := m.(json.RawMessage)
	if !ok {
		var err error
		body, err = json.Marshal(m)
		require.NoError(c.t, err)
	}
	require.NoError(c.t, writeFrame(c.in, body))
}

func (c *client) tell(method string, params any) {
	c.send(requestMessage{JSONRPC: "2.0", Method: method, Params: params})
}

// reply is an answer of the server.
type reply struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *responseError  `json:"error"`
}

func (c *client) next() (reply, bool) {
	c.t.Helper()
	select {
	case body, ok := <-c.read:
		if !ok {
			return reply{}, false
		}
		var r reply
		require.NoError(c.t, json.Unmarshal(body, &r))
		return r, true
	case <-time.After(10 * time.Minute):
		c.t.Fatal("the server sends nothing")
	}
	return reply{}, false
}

// ask sends a request and returns the answer. It keeps notifications that come first.
func (c *client) ask(method string, params any) reply {
	c.t.Helper()
	c.ids++
	id := json.RawMessage(fmt.Sprint(c.ids))
	c.send(requestMessage{JSONRPC: "2.0", ID: id, Method: method, Params: params})
	for {
		r, ok := c.next()
		require.True(c.t, ok, "the server ended")
		if r.Method == "" && string(r.ID) == string(id) {
			return r
		}
		body, _ := json.Marshal(r)
		c.later = append(c.later, body)
	}
}

// call sends a request and returns its result. An error in the answer fails the test.
func (c *client) call(method string, params any) json.RawMessage {
	c.t.Helper()
	r := c.ask(method, params)
	require.Nil(c.t, r.Error, "%s: %v", method, r.Error)
	return r.Result
}

// await returns the next notification of a method.
func (c *client) await(method string) json.RawMessage {
	c.t.Helper()
	for {
		var r reply
		if len(c.later) > 0 {
			require.NoError(c.t, json.Unmarshal(c.later[0], &r))
			c.later = c.later[1:]
		} else {
			var ok bool
			r, ok = c.next()
			require.True(c.t, ok, "the server ended")
		}
		if r.Method == method {
			return r.Params
		}
	}
}

// tick lets the delay pass after the server has read all messages.
func (c *client) tick() {
	c.t.Helper()
	c.ask("none", nil)
	c.mu.Lock()
	timer := c.timer
	c.mu.Unlock()
	require.NotNil(c.t, timer, "nothing waits")
	timer <- time.Time{}
}

func (c *client) open(uri, text string) {
	c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "hcl", "version": 1, "text": text}})
}

func (c *client) change(uri string, version int, text string) {
	c.tell("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []map[string]any{{"text": text}},
	})
}

// published returns the next diagnostics: their file, version, and lines such as "1:2-3 error code".
func (c *client) published() string {
	c.t.Helper()
	var p publishParams
	require.NoError(c.t, json.Unmarshal(c.await("textDocument/publishDiagnostics"), &p))
	version := "-"
	if p.Version != nil {
		version = fmt.Sprint(*p.Version)
	}
	lines := []string{strings.TrimPrefix(p.URI, "file://") + "@" + version}
	for _, d := range p.Diagnostics {
		lines = append(lines, fmt.Sprintf("%d:%d-%d:%d %d %s", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Line,
			d.Range.End.Character, d.Severity, d.Code))
	}
	return strings.Join(lines, "; ")
}

// at finds the | in a text. It returns the parameters of a request at this place, and the text without the |.
func at(uri, marked string) (text string, params map[string]any) {
	i := strings.IndexByte(marked, '|')
	text = marked[:i] + marked[i+1:]
	p := newText([]byte(text), utf16Encoding).position(i)
	return text, map[string]any{"textDocument": map[string]any{"uri": uri}, "position": p}
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal(raw, &v), string(raw))
	return v
}
