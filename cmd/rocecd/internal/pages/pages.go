// Package pages shows a team to people and programs, as a [TeamPage] of its runs, its sites and their last looks. It writes HTML without
// script, JSON and metrics. [Handler] makes the documents of a [TeamSource], and [Listen] decides who may read them.
//
// No page changes anything. Texts of persons, sites and the hub are escaped.
package pages

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/teamlook"
	"github.com/rocec/rocec/cmd/internal/teamqueue"
)

// TeamSource has the state of a team for the pages.
type TeamSource interface {
	Now() time.Time
	// Read calls use with the queue and the looks. They do not change before use returns, and use calls no other method of the source.
	Read(use func(q *teamqueue.Queue, looks []teamlook.SiteLook))
	// Alive returns when the hub last heard each site. If whole, the others are away; otherwise that is not known.
	Alive() (heard map[string]time.Time, whole bool)
	// Trouble returns why the source may be older than the hub; empty: it is current.
	Trouble() string
}

// Role decides what a person may read.
type Role string

// The roles.
const (
	Reader   Role = "reader"   // all but names of persons and reasons
	Operator Role = "operator" // all
)

// roleKey is the key of the role in the context of a request.
type roleKey struct{}

// withRole returns a request of a person with a role.
func withRole(r *http.Request, role Role) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), roleKey{}, role))
}

// mostAtOnce bounds the pages that are made at the same time.
const mostAtOnce = 8

// Handler returns the pages of a source. A request to which [Server] gave no role is one of a reader.
func Handler(src TeamSource) http.Handler {
	mux := http.NewServeMux()
	team := func(v *view) any { return v.team() }
	mux.Handle("/{$}", page(src, team, "team"))
	mux.Handle("/index.json", page(src, team, ""))
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) { writeMetrics(w, src) })
	mux.HandleFunc("/runs/{name}", func(w http.ResponseWriter, r *http.Request) {
		name, html := r.PathValue("name"), "run"
		if short, is := strings.CutSuffix(name, ".json"); is { // no name of a run has a dot
			name, html = short, ""
		}
		page(src, func(v *view) any {
			if run := v.queue.Run(name); run != nil {
				return v.oneRun(run)
			}
			return nil
		}, html).ServeHTTP(w, r)
	})
	room := make(chan bool, mostAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy())
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "the pages are read-only", http.StatusMethodNotAllowed)
			return
		}
		select {
		case room <- true:
			defer func() { <-room }()
			mux.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// page returns the handler of a document. html is the name of its template; empty: it is JSON.
func page(src TeamSource, document func(*view) any, html string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &view{now: src.Now(), full: r.Context().Value(roleKey{}) == Operator}
		v.heard, v.whole = src.Alive()
		var doc any
		src.Read(func(q *teamqueue.Queue, looks []teamlook.SiteLook) {
			v.queue, v.looks = q, looks
			doc = document(v)
		})
		trouble := src.Trouble()
		switch of := doc.(type) {
		case *TeamPage:
			of.Current, of.Trouble = trouble == "", v.person(trouble)
		case *OneRun:
			of.Current, of.Trouble = trouble == "", v.person(trouble)
		default:
			http.Error(w, "the hub has no such run", http.StatusNotFound)
			return
		}
		var b bytes.Buffer
		err, kind := error(nil), "application/json"
		if html == "" {
			e := json.NewEncoder(&b)
			e.SetIndent("", "  ")
			err = e.Encode(doc)
		} else {
			kind = "text/html; charset=utf-8"
			err = templates().ExecuteTemplate(&b, html, shown{doc, v.now.UTC(), template.CSS(style)}) //nolint:gosec // our own
		}
		if err != nil {
			panic(fmt.Sprintf("pages: %v", err)) // a document has a form that the tests have written
		}
		w.Header().Set("Content-Type", kind)
		w.Write(b.Bytes()) //nolint:errcheck // the person has gone away
	})
}

// shown is the data of a template.
type shown struct {
	Doc   any
	Now   time.Time
	Style template.CSS
}

var (
	//go:embed pages.html
	pagesHTML string
	//go:embed pages.css
	style string
)

// policy lets a browser load nothing, and use only the style of the pages.
var policy = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(style))
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
})

var templates = sync.OnceValue(func() *template.Template {
	words := template.FuncMap{"time": timeText, "ago": agoText, "short": short, "look": lookOf}
	return template.Must(template.New("").Funcs(words).Parse(pagesHTML))
})

// timeText returns a time for people; empty: it has not come.
func timeText(at any) string {
	switch t := at.(type) {
	case time.Time:
		return t.Format("2006-01-02 15:04:05Z")
	case *time.Time:
		if t != nil {
			return timeText(*t)
		}
	}
	return ""
}

// agoText returns how long ago a time is, in whole seconds.
func agoText(now time.Time, at *time.Time) string {
	if at == nil {
		return ""
	}
	return max(0, now.Sub(*at).Truncate(time.Second)).String() + " ago"
}

// short returns the beginning of a hash.
func short(hash string) string { return hash[:min(12, len(hash))] }

// shownLook is the data of the template of a look.
type shownLook struct {
	Now  time.Time
	Look Look
}

func lookOf(now time.Time, l Look) shownLook { return shownLook{now, l} }
