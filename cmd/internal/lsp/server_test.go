package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLifecycle(t *testing.T) {
	c := start(t, &disk{})
	require.Equal(t, notInitialized, c.ask("textDocument/hover", nil).Error.Code)
	c.tell("textDocument/didOpen", nil) // dropped
	info := decode[initializeResult](t, c.call("initialize", map[string]any{"capabilities": map[string]any{}}))
	assert.Equal(t, serverInfo{"rocec", "1"}, info.ServerInfo)
	assert.Equal(t, utf16Encoding, info.Capabilities.PositionEncoding)
	require.Equal(t, invalidRequest, c.ask("initialize", nil).Error.Code)
	require.Equal(t, "null", string(c.call("shutdown", nil)))
	require.Equal(t, invalidRequest, c.ask("textDocument/hover", nil).Error.Code)
	c.tell("exit", nil)
	require.True(t, <-c.ended)
}

func TestExitWithoutShutdown(t *testing.T) {
	c, _ := begin(t, nil, "{}")
	c.tell("exit", nil)
	require.False(t, <-c.ended)
}

// If a client dies without notice, the server still answers its earlier requests.
func TestEndOfStream(t *testing.T) {
	var out bytes.Buffer
	var in bytes.Buffer
	require.NoError(t, writeFrame(&in, []byte(`{"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {}}`)))
	require.NoError(t, writeFrame(&in, []byte(`{"jsonrpc": "2.0", "id": "b", "method": "shutdown"}`)))
	clean, err := New(&disk{}, Options{Wait: time.After}).Run(t.Context(), &in, &out)
	require.NoError(t, err)
	require.True(t, clean)
	require.Contains(t, out.String(), `{"jsonrpc":"2.0","id":"b","result":null}`)

	_, err = New(&disk{}, Options{Wait: time.After}).Run(t.Context(), strings.NewReader("Content-Length: 10\r\n\r\n{"), io.Discard)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// The server answers an unreadable message with an error, and reads the next message.
func TestMalformed(t *testing.T) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for _, tc := range []struct {
		name, in string
		code     int
		message  string
	}{
		{"no length", "Content-Type: x\r\n\r\n", parseError, "no Content-Length"},
		{"length is not a number", "Content-Length: -5\r\n\r\n", parseError, "not a number"},
		{"length is enormous", "Content-Length: 99999999999999999999\r\n\r\n", parseError, "not a number"},
		{"no header", "hello\r\n\r\n", parseError, "Name: value"},
		{"long line", strings.Repeat("x", 3*maxLine) + "\r\n\r\n", parseError, "longer"},
		{"not JSON", frame("{"), parseError, "not JSON"},
		{"not UTF-8", frame("\xff"), parseError, "not JSON"},
		{"deep", frame(strings.Repeat("[", 100_000)), parseError, "not JSON"},
		{"batch", frame(`[{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}]`), invalidRequest, "one by one"},
		{"number", frame("3"), invalidRequest, "not a request"},
		{"id is an object", frame(`{"jsonrpc": "2.0", "id": {}, "method": "x"}`), invalidRequest, "an id"},
		{"nothing", frame(`{}`), invalidRequest, "neither"},
		{"wrong version", frame(`{"jsonrpc": "1.0", "id": 7, "method": "shutdown"}`), invalidRequest, "2.0"},
		{"unknown method", frame(`{"jsonrpc": "2.0", "id": 7, "method": "workspace/none"}`), methodNotFound, "workspace/none"},
		{
			"wrong parameters", frame(`{"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {"position": 3}}`), invalidParams,
			"position",
		},
		{"list of parameters", frame(`{"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": [1]}`), invalidParams, "array"},
		{"file that is not open", frame(`{"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///no"}}}`), invalidParams, "not open"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := begin(t, nil, "{}")
			_, err := io.WriteString(c.in, tc.in)
			require.NoError(t, err)
			r, ok := c.next()
			require.True(t, ok)
			require.NotNil(t, r.Error)
			assert.Equal(t, tc.code, r.Error.Code)
			assert.Contains(t, r.Error.Message, tc.message)
			require.Equal(t, "null", string(c.call("shutdown", nil)))
		})
	}
}

// The server does not answer unknown notifications.
func TestNotificationsWithoutMeaning(t *testing.T) {
	c, _ := begin(t, nil, "{}")
	for _, m := range []string{
		`{"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": "off"}}`,
		`{"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration", "params": {"settings": null}}`,
		`{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": 3}`,
		`{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///no"}}}`,
		`{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///no"}}}`,
		`{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}}`,
		`{"jsonrpc": "2.0", "id": 99, "result": null}`,
		`{"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "no"}}`,
	} {
		c.send(json.RawMessage(m))
	}
	c.call("shutdown", nil)
	require.Empty(t, c.later)
}

func TestCancelRequest(t *testing.T) {
	c, d := begin(t, nil, "{}")
	entered, gate := make(chan bool, 100), make(chan bool)
	d.list = func() { entered <- true; <-gate }
	c.open(uriA, "")
	c.send(json.RawMessage(`{"jsonrpc": "2.0", "id": 49, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///f/a.hcl"}, "position": {"line": 0, "character": 0}}}`))
	<-entered // the loop is busy
	c.send(json.RawMessage(`{"jsonrpc": "2.0", "id": 50, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": "file:///f/a.hcl"}}}`))
	c.send(json.RawMessage(`{"jsonrpc": "2.0", "id": 51, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": "file:///f/a.hcl"}}}`))
	c.send(json.RawMessage(`{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 50}}`))
	c.tell("$/setTrace", nil) // when this message is accepted, the server has read the previous one
	close(gate)
	r, _ := c.next()
	assert.Equal(t, "49", string(r.ID))
	r, _ = c.next()
	assert.Equal(t, "50", string(r.ID))
	require.NotNil(t, r.Error)
	assert.Equal(t, requestCancelled, r.Error.Code)
	r, _ = c.next()
	assert.Equal(t, "51", string(r.ID))
	assert.Nil(t, r.Error)
}

const (
	uriA  = "file:///f/a.hcl"
	good  = "fabric \"f\" {}\n"
	leafs = "switch \"leaf\" {\n  model = \"sn2700\"\n}\n"
)

func TestDiagnostics(t *testing.T) {
	c, d := begin(t, map[string]string{"/f/a.hcl": good, "/f/b.hcl": leafs}, "{}")
	c.open(uriA, good)
	c.tick()
	assert.Equal(t, "/f/a.hcl@1", c.published())

	// The unsaved text counts; a mistake in another file is reported there.
	c.change(uriA, 2, "fabric \"f\" { mtuu = 1 }\nswitch \"leaf\" { model = \"x\" }\n")
	c.tick()
	assert.Equal(t, "/f/a.hcl@2; 0:13-0:17 1 unknown-attribute", c.published())
	assert.Equal(t, "/f/b.hcl@-; 0:7-0:13 1 duplicate-name", c.published())

	// A fixed finding disappears.
	c.change(uriA, 3, good)
	c.tick()
	assert.Equal(t, "/f/a.hcl@3", c.published())
	assert.Equal(t, "/f/b.hcl@-", c.published())

	// A file that changes on disk.
	d.set("/f/b.hcl", "switch {}")
	c.tell("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{}})
	c.tick()
	assert.Equal(t, "/f/a.hcl@3", c.published())
	assert.Equal(t, "/f/b.hcl@-; 0:0-0:6 1 bad-label", c.published())

	// Without an open file the server publishes nothing.
	c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriA}})
	assert.Equal(t, "/f/b.hcl@-", c.published())
	c.call("shutdown", nil)
	require.Empty(t, c.later)
}

func TestDiagnosticInFull(t *testing.T) {
	text := "fabric \"f\" {}\nswitch \"é𝄞\" { model = \"x\" }\nswitch \"leaf\" {\n  model = \"x\"\n  tier = 7\n}\n"
	for _, tc := range []struct{ capabilities, related string }{
		{`{"textDocument": {"publishDiagnostics": {"relatedInformation": true}}}`, "the model"},
		{`{}`, ""},
	} {
		c, _ := begin(t, nil, tc.capabilities)
		c.open(uriA, text)
		c.tick()
		p := decode[publishParams](t, c.await("textDocument/publishDiagnostics"))
		require.Len(t, p.Diagnostics, 2)
		assert.Equal(t, textRange{position{1, 7}, position{1, 12}}, p.Diagnostics[0].Range, "UTF-16")
		d := p.Diagnostics[1]
		assert.Equal(t, textRange{position{4, 9}, position{4, 10}}, d.Range)
		assert.Equal(t, 2, d.Severity)
		assert.Equal(t, "rocec", d.Source)
		assert.Equal(t, "https://example.net/seven", d.CodeDescription.Href)
		if tc.related != "" {
			assert.Equal(t, []relatedInformation{{location{uriA, textRange{position{3, 10}, position{3, 13}}}, tc.related}}, d.RelatedInformation)
			assert.Equal(t, "seven is unlucky\nTake 8.\nhelp: Write 8.", d.Message)
		} else {
			assert.Equal(t, "seven is unlucky\nTake 8.\nnote: the model\nhelp: Write 8.", d.Message)
		}
	}
}

// The server judges nothing during typing. It cancels a run on an older text, and that run publishes nothing.
func TestDebounceAndStaleRuns(t *testing.T) {
	c, d := begin(t, nil, "{}")
	running := make(chan context.Context, 10)
	release := make(chan bool)
	d.gate = func(ctx context.Context) { running <- ctx; <-release }
	c.open(uriA, good)
	c.change(uriA, 2, good+"x")
	c.change(uriA, 3, good+"xy")
	c.tick()
	old := <-running
	c.change(uriA, 4, good+"switch {}\n")
	<-old.Done()
	c.tick()        // the new run waits until the old run ends
	release <- true // the old run ends, and the server drops its result
	now := <-running
	require.NoError(t, now.Err())
	release <- true
	assert.Equal(t, "/f/a.hcl@4; 1:0-1:6 1 bad-label", c.published())
	assert.Equal(t, 2, d.runs)
}

// A judgement that would use the whole budget ends when the text changes. It publishes nothing, and the new text is judged. Meanwhile the
// server answers requests.
func TestChangeEndsEvaluation(t *testing.T) {
	loops := strings.Repeat("locals {\n  l = [for a in range(4096) : [for b in range(4096) : a]]\n}\n", 50)
	c, d := begin(t, nil, "{}")
	running := make(chan context.Context, 10)
	release := make(chan bool)
	d.gate = func(ctx context.Context) { running <- ctx; <-release }
	c.open(uriA, good+loops)
	c.tick()
	old := <-running
	hover := func() {
		c.call("textDocument/hover", map[string]any{
			"textDocument": map[string]any{"uri": uriA}, "position": map[string]any{"line": 0, "character": 0},
		})
	}
	hover()
	c.change(uriA, 2, good)
	<-old.Done()
	release <- true // the evaluation begins, but its result is no longer wanted
	c.tick()
	hover()
	<-running
	release <- true
	assert.Equal(t, "/f/a.hcl@2", c.published(), "no finding of the older text is published")
}

// During a run, the client edits a module that the run has read. The module belongs to another fabric, so the edit does not end the run,
// and the run's findings are outdated. The server judges the fabric again before it publishes anything.
func TestChangeOfAModuleOutdatesARun(t *testing.T) {
	const file = "/m/m.hcl"
	for _, tt := range []struct {
		name, saw, now string
		read           bool
		outdated       bool
	}{
		{"edited", "a", "b", true, true},
		{"as it was", "a", "a", true, false},
		{"not read", "a", "b", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			s := New(&disk{}, Options{Wait: time.After})
			s.out, s.state = &out, running
			s.docs[file] = &document{uri: "file://" + file, name: file, text: newText([]byte(tt.now), utf16Encoding), fabric: "/f"}
			ctx, cancel := context.WithCancel(t.Context())
			r := &run{
				fabric: "/g", ctx: ctx, cancel: cancel, texts: map[string][]byte{file: []byte(tt.saw)},
				result: &Result{Files: map[string][]byte{}},
			}
			if tt.read {
				r.result.Files[file] = []byte(tt.saw)
			}
			s.finish(t.Context(), r)
			assert.Equal(t, tt.outdated, s.checks.dirty["/g"])
			assert.Equal(t, tt.outdated, s.checks.fabrics["/g"] == nil, "the server has received the findings of the run")
		})
	}
}

// A bug in the pipeline only ends one run.
func TestBugInARun(t *testing.T) {
	c, _ := begin(t, nil, "{}")
	c.open(uriA, good+"switch \"leaf\" {\n  model = \"x\"\n  tier = 13\n}\n")
	c.tick()
	assert.Contains(t, decode[logParams](t, c.await("window/logMessage")).Message, "thirteen")
	c.change(uriA, 2, good)
	c.tick()
	assert.Equal(t, "/f/a.hcl@2", c.published())
}

func TestModules(t *testing.T) {
	c, _ := begin(t, map[string]string{
		"/f/a.hcl":          good + "module \"pod\" {\n  source = \"./pod\"\n}\n",
		"/f/pod/pod.hcl":    "switch \"leaf\" {\n  model = var.no\n}\n",
		"/f/other/some.hcl": "",
		"/g/b.hcl":          good + "module \"x\" {\n  source = \"../far\"\n}\n",
		"/far/far.hcl":      "",
	}, "{}")
	// A module's file is judged with the fabric in a parent folder that calls it.
	c.open("file:///f/pod/pod.hcl", "switch \"leaf\" {\n  model = \"a\"\n  no = 1\n}\n")
	c.tick()
	assert.Equal(t, "/f/pod/pod.hcl@1; 2:2-2:4 1 unknown-attribute", c.published())
	// For a module without a caller, only the syntax is judged.
	c.open("file:///f/other/some.hcl", "switch \"leaf\" {\n  no = 1\n")
	c.tick()
	assert.Equal(t, "/f/other/some.hcl@1; 0:14-0:15 1 syntax", c.published())
	c.change("file:///f/other/some.hcl", 2, "switch \"leaf\" {\n  no = 1\n}\n")
	c.tick()
	assert.Equal(t, "/f/other/some.hcl@2", c.published())
	// A module outside of the fabric's folder belongs to an open fabric that calls it.
	c.open("file:///far/far.hcl", "switch \"x\" { no = 1 }\n")
	c.tick()
	assert.Equal(t, "/far/far.hcl@1", c.published())
	c.open("file:///g/b.hcl", good+"module \"x\" {\n  source = \"../far\"\n}\n")
	c.change("file:///far/far.hcl", 2, "switch \"x\" { no = 1 }\n")
	c.tick()
	assert.Equal(t, "/far/far.hcl@2; 0:0-0:10 1 missing-attribute; 0:13-0:15 1 unknown-attribute", c.published())
	assert.Equal(t, "/g/b.hcl@1", c.published())
}

// A module that two fabrics call is judged in both; a finding of both fabrics is published once.
func TestModuleOfTwoFabrics(t *testing.T) {
	caller := good + "module \"m\" {\n  source = \"../m\"\n}\n"
	c, d := begin(t, map[string]string{"/m/m.hcl": ""}, "{}")
	c.open("file:///f/f.hcl", caller)
	c.open("file:///g/g.hcl", caller)
	c.tick()
	assert.Equal(t, "/f/f.hcl@1", c.published())
	assert.Equal(t, "/g/g.hcl@1", c.published())
	c.open("file:///m/m.hcl", "switch \"x\" {\n  model = \"a\"\n  no = 1\n}\n")
	c.tick()
	const twice = "/m/m.hcl@1; 2:2-2:4 1 unknown-attribute"
	assert.Equal(t, "/f/f.hcl@1", c.published())
	assert.Equal(t, twice, c.published())
	assert.Equal(t, "/g/g.hcl@1", c.published())
	assert.Equal(t, twice, c.published())
	assert.Equal(t, 4, d.runs)
	// One fabric with the finding is enough to publish it.
	c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "file:///g/g.hcl"}})
	assert.Contains(t, c.published(), "; 2:2-2:4 1 unknown-attribute")
}

func TestUntitledAndOtherFiles(t *testing.T) {
	c, _ := begin(t, nil, "{}")
	c.open("untitled:Untitled-1", "x = ")
	c.tick()
	assert.Equal(t, "untitled:Untitled-1@1; 0:4-0:4 1 syntax", c.published())
	c.change("untitled:Untitled-1", 2, "x = 1")
	c.tick()
	assert.Equal(t, "untitled:Untitled-1@2", c.published())
	c.open("file:///f/readme.txt", "x = ")
	c.tick()
	assert.Equal(t, "/f/readme.txt@1", c.published())
	c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "untitled:Untitled-1"}})
	c.call("shutdown", nil) // there was no diagnostic left to withdraw
	require.Empty(t, c.later)
}

func TestWatchesFiles(t *testing.T) {
	c, _ := begin(t, nil, `{"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}`)
	p := decode[registrationParams](t, c.await("client/registerCapability"))
	require.Len(t, p.Registrations, 1)
	assert.Equal(t, "workspace/didChangeWatchedFiles", p.Registrations[0].Method)
	c.send(json.RawMessage(`{"jsonrpc": "2.0", "id": "rocec-1", "result": null}`))
	c.call("shutdown", nil)
}

func TestIncrementalSync(t *testing.T) {
	for _, tc := range []struct{ offered, want string }{{`[]`, "utf-16"}, {`["utf-32", "utf-8", "utf-16"]`, "utf-8"}} {
		d := &disk{}
		c := start(t, d)
		info := decode[initializeResult](t, c.call("initialize",
			json.RawMessage(`{"capabilities": {"general": {"positionEncodings": `+tc.offered+`}}}`)))
		require.Equal(t, tc.want, string(info.Capabilities.PositionEncoding))
		c.open(uriA, "locals {\r\n  /* é𝄞 */ one = 1\r\n}\n")
		from, to := 12, 15 // of one
		if tc.want == "utf-8" {
			from, to = 15, 18
		}
		c.tell("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": uriA, "version": 2},
			"contentChanges": []map[string]any{
				{"range": map[string]any{"start": position{1, from}, "end": position{1, to}}, "text": "two = 2\n  three"},
				{"range": map[string]any{"start": position{99, 0}, "end": position{99, 9}}, "text": "locals { y = 1 }"},
			},
		})
		symbols := decode[[]symbolInformation](t, c.call("textDocument/documentSymbol",
			map[string]any{"textDocument": map[string]any{"uri": uriA}}))
		var names []string
		for _, s := range symbols {
			names = append(names, s.Name)
		}
		assert.Equal(t, []string{"locals", "two", "three", "locals", "y"}, names, tc.want)
	}
}

func FuzzServer(f *testing.F) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	hello := frame(`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}`)
	open := frame(`{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///f/a.hcl", "version": 1, "text": "fabric \"x\" {}"}}}`)
	f.Add(hello + open + frame(`{"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///f/a.hcl"}, "position": {"line": -1, "character": 99}}}`))
	f.Add(hello + open + frame(`{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///f/a.hcl", "version": 2}, "contentChanges": [{"range": {"start": {"line": 5, "character": -3}, "end": {"line": 0, "character": 3}}, "text": "é"}]}}`))
	f.Add("Content-Length: 3\r\n\r\n[1]Content-Length: 2\r\n\r\n{}")
	f.Add("\n\n\nContent-Length : 2\n\n{}")
	f.Fuzz(func(t *testing.T, in string) {
		fired := make(chan time.Time)
		close(fired)
		s := New(&disk{files: map[string]string{"/f/b.hcl": leafs}}, Options{Wait: func(time.Duration) <-chan time.Time { return fired }})
		var out bytes.Buffer
		s.Run(t.Context(), strings.NewReader(in), &out) //nolint:errcheck // any end is good
		frames := newFrames(&out)
		for {
			body, err := frames.next()
			if err != nil {
				require.ErrorIs(t, err, io.EOF)
				break
			}
			require.True(t, json.Valid(body))
			require.NotContains(t, string(body), "rocec has a bug")
		}
	})
}
