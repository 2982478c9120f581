// Package lsp has a [Server] that speaks the Language Server Protocol with an editor, over two streams.
//
// It reads the messages of a client, and writes answers, and diagnostics of the saved or unsaved text in the editor. The server asks lang
// for facts of the language, and the [Backend] for facts of the whole program.
//
// # Who does what
//
// One goroutine reads messages, and notes which requests the client takes back. One, the loop of [Server.Run], owns the documents and
// all other state, answers, and alone writes. Answers come from the text alone and take little time. A third runs the pipeline on a
// snapshot, one fabric at a time, some moments after the last change. When a file of that fabric changes meanwhile, the run is
// cancelled and its result thrown away.
//
// Nothing a client sends stops the server but exit and the end of the stream.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/outline"
)

// Backend is the part of the program that the server calls. Names of files are absolute paths with slashes.
type Backend interface {
	// List returns the names of the *.hcl files directly in a folder; none if the folder cannot be read.
	List(dir string) []string
	// Inside reports whether files of one folder may name another one as a module.
	Inside(dir, module string) bool
	// Read returns the bytes of a file.
	Read(name string) ([]byte, error)
	// Check runs the pipeline on the fabric in a folder. Unsaved texts replace files. The error states why the pipeline cannot run at all.
	Check(ctx context.Context, dir string, unsaved map[string][]byte) (*Result, error)
	// Known returns the names in the tables of the program.
	Known() outline.Known
}

// Result is the result of the pipeline.
type Result struct {
	Diagnostics diag.List
	Files       map[string][]byte                  // every file that was read, by its name in places
	Describe    func(t outline.Thing) string       // the compiled value of a thing, as Markdown; nil if the fabric has errors
	Define      func(t outline.Thing) []diag.Range // the declarations of devices with computed names; nil if the fabric has errors
}

// Options are the settings of a [Server].
type Options struct {
	Version string                               // of the program, for the client's log
	Help    func(code string) string             // a web page about a code of a diagnostic; may be nil
	About   func(code string) string             // a description of a code, as Markdown; may be nil
	Ignore  func(d *diag.Diagnostic) bool        // whether a comment can silence a diagnostic; may be nil
	Delay   time.Duration                        // from the last change to a run; 0: 200 ms
	Wait    func(time.Duration) <-chan time.Time // [time.After], unless a test drives the clock; never nil
}

// Server is one session with one client.
type Server struct {
	backend Backend
	options Options
	known   outline.Known
	out     io.Writer
	outErr  error

	state  state
	client initializeParams
	enc    encoding
	docs   map[string]*document // by file name
	disk   *diskCache
	checks checks

	ids       sync.Mutex
	pending   map[string]bool // requests without an answer; true: cancelled
	callsMade int
}

type state int

const (
	fresh state = iota
	running
	shutDown
)

// document is a file that is open in the editor.
type document struct {
	uri     string // as the client writes it
	name    string
	version *int
	text    *text
	outline *outline.File // of the text; nil until needed
	fabric  string        // the folder of its fabric; "": none
}

// outlined returns the outline of the text.
func (d *document) outlined() *outline.File {
	if d.outline == nil {
		d.outline = outline.New(d.name, d.text.src)
	}
	return d.outline
}

// New returns a server that waits for initialize.
func New(b Backend, o Options) *Server {
	if o.Delay == 0 {
		o.Delay = 200 * time.Millisecond
	}
	s := &Server{backend: b, options: o, known: b.Known(), enc: utf16Encoding, docs: map[string]*document{}, pending: map[string]bool{}}
	s.disk = newDiskCache(b)
	s.checks = checks{
		dirty: map[string]bool{}, ready: map[string]bool{}, touched: map[string]bool{},
		results: make(chan *run, 1), fabrics: map[string]*checked{},
	}
	return s
}

// incoming is a message, or the error of reading it.
type incoming struct {
	message *message
	problem *responseError
}

// Run serves until the client sends exit or its stream ends. Clean reports whether the client sent shutdown before.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) (clean bool, err error) {
	s.out = out
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan incoming, 64) // read ahead, so that a request can be cancelled before its turn
	var ended error
	go func() {
		ended = s.read(ctx, newFrames(in), queue)
		close(queue)
	}()
	defer s.stopRun()
	for s.outErr == nil {
		select {
		case m, ok := <-queue:
			if !ok {
				if errors.Is(ended, io.EOF) {
					ended = nil
				}
				return s.state == shutDown, ended
			}
			if m.problem != nil {
				s.reply(json.RawMessage("null"), nil, m.problem)
				continue
			}
			if m.message.Method == "exit" {
				return s.state == shutDown, nil
			}
			s.serve(m.message)
		case <-s.checks.timer:
			s.checks.timer = nil
			s.startDirty(ctx)
		case r := <-s.checks.results:
			s.finish(ctx, r)
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return false, s.outErr
}

// read passes on the messages until the stream ends.
func (s *Server) read(ctx context.Context, f *frames, queue chan<- incoming) error {
	for {
		body, err := f.next()
		var m incoming
		if bad, ok := errors.AsType[*frameError](err); ok {
			m.problem = errorf(parseError, "%s", bad.why)
		} else if err != nil {
			return err
		} else if m.message, m.problem = readMessage(body); m.problem == nil && !s.admit(m.message) {
			continue
		}
		select {
		case queue <- m:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// admit records requests, and marks those that the client cancels. It reports whether the loop needs the message.
func (s *Server) admit(m *message) bool {
	s.ids.Lock()
	defer s.ids.Unlock()
	switch {
	case m.request():
		s.pending[string(m.ID)] = false
	case m.Method == "":
		return false // an answer to a request of the server, which needs no reaction
	case m.Method == "$/cancelRequest":
		var p cancelParams
		if json.Unmarshal(m.Params, &p) == nil {
			if _, ok := s.pending[string(p.ID)]; ok {
				s.pending[string(p.ID)] = true
			}
		}
		return false
	}
	return true
}

// takenBack reports whether the client cancelled a request, and removes the request.
func (s *Server) takenBack(id json.RawMessage) bool {
	s.ids.Lock()
	defer s.ids.Unlock()
	cancelled := s.pending[string(id)]
	delete(s.pending, string(id))
	return cancelled
}

// serve answers one request, or handles a notification.
func (s *Server) serve(m *message) {
	if !m.request() {
		if s.state == running {
			s.call(m)
		}
		return
	}
	if s.takenBack(m.ID) {
		s.reply(m.ID, nil, errorf(requestCancelled, "the request was cancelled"))
		return
	}
	var p *responseError
	switch {
	case m.JSONRPC != "2.0":
		p = errorf(invalidRequest, "jsonrpc is \"2.0\"")
	case s.state == fresh && m.Method != "initialize":
		p = errorf(notInitialized, "the first request must be initialize")
	case s.state == running && m.Method == "initialize":
		p = errorf(invalidRequest, "initialize may be sent only once")
	case s.state == shutDown:
		p = errorf(invalidRequest, "after shutdown only exit is allowed")
	}
	if p != nil {
		s.reply(m.ID, nil, p)
		return
	}
	result, p := s.call(m)
	s.reply(m.ID, result, p)
	if m.Method == "initialize" && p == nil {
		s.state = running
	}
}

// call calls the method of a message. A panic fails this answer, but does not end the session.
func (s *Server) call(m *message) (result any, p *responseError) {
	defer func() {
		if r := recover(); r != nil {
			s.log(1, "rocec has a bug: %s: %v\n%s", m.Method, r, debug.Stack())
			result, p = nil, errorf(internalError, "rocec has a bug: %v", r)
		}
	}()
	h, ok := methods[m.Method]
	if !ok {
		return nil, errorf(methodNotFound, "there is no method %q", m.Method)
	}
	return h(s, m.Params)
}

// methods lists every message that the server knows.
var methods = map[string]func(*Server, json.RawMessage) (any, *responseError){
	"initialize":                      with((*Server).initialize),
	"initialized":                     with((*Server).initialized),
	"shutdown":                        with((*Server).shutdown),
	"textDocument/didOpen":            with((*Server).didOpen),
	"textDocument/didChange":          with((*Server).didChange),
	"textDocument/didSave":            with((*Server).didSave),
	"textDocument/didClose":           with((*Server).didClose),
	"workspace/didChangeWatchedFiles": with((*Server).didChangeFiles),
	"textDocument/completion":         with((*Server).completion),
	"textDocument/hover":              with((*Server).hover),
	"textDocument/definition":         with((*Server).definition),
	"textDocument/references":         with((*Server).references),
	"textDocument/documentSymbol":     with((*Server).documentSymbol),
	"textDocument/formatting":         with((*Server).formatting),
	"textDocument/codeAction":         with((*Server).codeAction),
}

// with wraps a method, and parses its parameters.
func with[P any](f func(*Server, P) (any, *responseError)) func(*Server, json.RawMessage) (any, *responseError) {
	return func(s *Server, raw json.RawMessage) (any, *responseError) {
		var p P
		if raw != nil {
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, errorf(invalidParams, "%v", err)
			}
		}
		return f(s, p)
	}
}

// none is the type of parameters of a method without parameters.
type none struct{}

// UnmarshalJSON accepts any value.
func (*none) UnmarshalJSON([]byte) error { return nil }

func (s *Server) initialize(p initializeParams) (any, *responseError) {
	s.client = p
	for _, e := range p.Capabilities.General.PositionEncodings {
		if e == utf8Encoding {
			s.enc = utf8Encoding
		}
	}
	return initializeResult{
		ServerInfo: serverInfo{"rocec", s.options.Version},
		Capabilities: serverCapabilities{
			PositionEncoding: s.enc, TextDocumentSync: syncOptions{OpenClose: true, Change: 2, Save: true},
			CompletionProvider: completionOptions{TriggerCharacters: []string{".", "\"", ":", ","}},
			HoverProvider:      true, DefinitionProvider: true, ReferencesProvider: true, DocumentSymbolProvider: true,
			DocumentFormattingProvider: true, CodeActionProvider: codeActionOptions{CodeActionKinds: []string{"quickfix"}},
		},
	}, nil
}

func (s *Server) initialized(none) (any, *responseError) {
	if s.client.Capabilities.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		s.callsMade++
		s.send(requestMessage{
			JSONRPC: "2.0", ID: json.RawMessage(fmt.Sprintf("\"rocec-%d\"", s.callsMade)), Method: "client/registerCapability",
			Params: registrationParams{[]registration{{
				"files", "workspace/didChangeWatchedFiles",
				watchOptions{[]watcher{{"**/*.{hcl,dot,csv,json,yml,yaml}"}}},
			}}},
		})
	}
	return nil, nil
}

func (s *Server) shutdown(none) (any, *responseError) {
	s.state = shutDown
	s.checks.timer = nil
	s.stopRun()
	return nil, nil
}

func (s *Server) reply(id json.RawMessage, result any, p *responseError) {
	a := responseMessage{JSONRPC: "2.0", ID: id, Error: p}
	if p == nil {
		raw, err := json.Marshal(result)
		if err != nil {
			panic(err)
		}
		a.Result = raw
	}
	s.send(a)
}

func (s *Server) notify(method string, params any) {
	s.send(requestMessage{JSONRPC: "2.0", Method: method, Params: params})
}

// log sends the client a line for its log; level 1 is an error, 2 a warning, 3 information.
func (s *Server) log(kind int, format string, args ...any) {
	s.notify("window/logMessage", logParams{kind, diag.EscapeLines(fmt.Sprintf(format, args...))})
}

func (s *Server) send(m any) {
	if s.outErr != nil {
		return
	}
	body, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	s.outErr = writeFrame(s.out, body)
}
