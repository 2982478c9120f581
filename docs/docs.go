// Package docs is the manual: the Markdown pages of this folder ([Page]), as `rocec help` prints them. A code has a page of its own,
// checks/<code>.md, from which `rocec explain`, hover texts and web links are made.
package docs

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang"
)

//go:embed [^acltw]*.md apply.md ci.md lab.md language.md t[^e]*.md checks/*.md evidence/README.md
var files embed.FS // without the pages that only those who change the source read, and without what is generated

// Page is one page of the manual.
type Page struct {
	File  string // below docs: "checks/pfc-loop.md"
	Name  string // what `rocec help` calls it: "apply", "checks", a code
	Title string // its first heading
	Body  string // Markdown, without front matter and title

	// Of the page of a code, by its front matter.
	Code       string
	Summary    string   // the constant summary of its diagnostics, which the title ends in
	Severities []string // it is reported at
	Family     string
	Symptoms   []string // by which an operator meets it
}

// web is where the folder can be read.
const web = "https://github.com/rocec/rocec/blob/main/docs/"

// Web is where the page can be read.
func (p *Page) Web() string { return web + p.File }

// First is the first paragraph of the page, as Markdown that can stand anywhere.
func (p *Page) First() string {
	first, _, _ := strings.Cut(p.Anywhere(), "\n\n")
	return first
}

var relativeLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\]\(([a-zA-Z0-9_./-]+)(#[^)\s]*)?\)`) })

// Anywhere is the body as Markdown that can stand anywhere: links to other pages lead to the web.
func (p *Page) Anywhere() string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(p.Body) {
		fence := strings.HasPrefix(line, "```")
		fenced = fenced != fence
		if !fenced && !fence {
			line = relativeLink().ReplaceAllStringFunc(line, func(link string) string {
				m := relativeLink().FindStringSubmatch(link)
				return "](" + web + path.Join(path.Dir(p.File), m[1]) + m[2] + ")"
			})
		}
		b.WriteString(line)
	}
	return b.String()
}

// Index is the name of the page that leads to the others.
const Index = "README"

// Pages returns every page: those of codes last, each part sorted by name.
func Pages() []*Page { return all().pages }

// Find returns a page by its name, as people spell it: in any case, with the folder and the extension or without.
func Find(name string) *Page {
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(path.Clean(strings.TrimPrefix(name, "docs/")), "/"), ".md"))
	name = strings.TrimPrefix(strings.TrimSuffix(name, "/readme"), "checks/")
	return all().named[strings.ReplaceAll(name, "_", "-")]
}

// OfCode returns the page of a code; nil: there is none.
func OfCode(code string) *Page {
	if p := all().named[code]; p != nil && p.Code == code {
		return p
	}
	return nil
}

type manual struct {
	pages []*Page
	named map[string]*Page // by the lower-case name
}

var all = sync.OnceValue(func() *manual {
	m := &manual{named: map[string]*Page{}}
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		return m.add(name, string(data))
	})
	// The file of the reference, beside the others, is for those who read on the web.
	if err = errors.Join(err, m.add("language-reference.md", lang.Reference())); err != nil {
		panic(err) // the pages are part of the program, and the tests read them all
	}
	slices.SortFunc(m.pages, func(a, b *Page) int {
		if byKind := strings.Compare(kind(a), kind(b)); byKind != 0 {
			return byKind
		}
		return strings.Compare(a.Name, b.Name)
	})
	return m
})

// add reads a page into the manual.
func (m *manual) add(name, text string) error {
	p, err := parsePage(name, text)
	if err != nil {
		return fmt.Errorf("docs/%s: %w", name, err)
	}
	if other := m.named[strings.ToLower(p.Name)]; other != nil {
		return fmt.Errorf("docs/%s and docs/%s are both %s", other.File, name, p.Name)
	}
	m.pages = append(m.pages, p)
	m.named[strings.ToLower(p.Name)] = p
	return nil
}

// kind sorts the pages of codes behind the others.
func kind(p *Page) string {
	if p.Code != "" {
		return "code"
	}
	return ""
}

// parsePage reads a page. That of a code begins with front matter, and has its code and summary as title.
func parsePage(file, text string) (*Page, error) {
	p := &Page{File: file, Name: strings.TrimSuffix(file, ".md")}
	if dir, base := path.Split(p.Name); base == Index && dir != "" {
		p.Name = strings.TrimSuffix(dir, "/")
	}
	head, ok := "", false
	if rest, has := strings.CutPrefix(text, "---\n"); has {
		if head, text, ok = strings.Cut(rest, "\n---\n"); !ok {
			return nil, fmt.Errorf("the front matter does not end")
		}
		if err := p.frontMatter(head); err != nil {
			return nil, err
		}
	}
	text, ok = strings.CutPrefix(strings.TrimLeft(text, "\n"), "# ")
	if !ok {
		return nil, fmt.Errorf("it does not begin with a title")
	}
	p.Title, p.Body, _ = strings.Cut(text, "\n")
	p.Body = strings.Trim(p.Body, "\n") + "\n"
	if isCode := path.Dir(file) == "checks" && path.Base(file) != Index+".md"; isCode != (p.Code != "") {
		return nil, fmt.Errorf("the pages below checks, and no others, have the front matter of a code")
	}
	if p.Code != "" {
		if p.Summary, ok = strings.CutPrefix(p.Title, p.Code+": "); !ok || file != "checks/"+p.Code+".md" {
			return nil, fmt.Errorf("the code %s is neither the name of the file nor the beginning of the title", p.Code)
		}
		p.Name = p.Code
	}
	return p, nil
}

// frontMatter reads "key: value" lines, and the list of symptoms.
func (p *Page) frontMatter(head string) error {
	listed := false
	for line := range strings.SplitSeq(head, "\n") {
		if item, ok := strings.CutPrefix(line, "  - "); ok && listed {
			p.Symptoms = append(p.Symptoms, item)
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		listed = key == "symptoms" && value == ""
		switch {
		case listed:
		case key == "code" && value != "":
			p.Code = value
		case key == "severity" && value != "":
			p.Severities = strings.Split(value, ", ")
		case key == "family" && FamilyTitle(value) != "":
			p.Family = value
		case key == "family":
			return fmt.Errorf("front matter: families.go has no family %q", value)
		default:
			return fmt.Errorf("front matter: %q is not code, severity, family or symptoms", line)
		}
	}
	if p.Code == "" || p.Severities == nil || p.Family == "" {
		return fmt.Errorf("front matter: code, severity or family is missing")
	}
	return nil
}
