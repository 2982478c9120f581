// Package docs is the manual: the Markdown pages of this folder ([Page]), as `rocec help` prints them. A code has a page of its own,
// checks/<code>.md, from which `rocec explain`, hover texts and web links are made.
package docs

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

//go:embed [^aclnrtw]*.md apply.md audit.md ci.md lab.md language.md nvue.md reading.md recipes.md reliability.md
//go:embed rights.md t[^e]*.md whatif.md words.md checks/[^R]*.md evidence/README.md
var files embed.FS // leaves out the pages for contributors and the generated ones

// Page is one page of the manual.
type Page struct {
	File  string // path below docs, such as "checks/pfc-loop.md"
	Name  string // the argument of `rocec help`: "apply", "checks", a code
	Title string // its first heading
	Body  string // Markdown, without front matter and title

	// The page of a code has these, from its front matter.
	Code       string
	Summary    string   // the constant summary of its diagnostics, which the title ends in
	Severities []string // at which findings with the code are reported
	Family     string
	Symptoms   []string // what an operator sees
}

// web is the address of the folder on the web.
const web = "https://github.com/rocec/rocec/blob/main/docs/"

// Web returns the address of the page on the web.
func (p *Page) Web() string { return web + p.File }

// First returns the first paragraph of the page, as Markdown whose links work outside of the folder.
func (p *Page) First() string {
	first, _, _ := strings.Cut(p.Anywhere(), "\n\n")
	return first
}

var relativeLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\]\(([a-zA-Z0-9_./-]+)(#[^)\s]*)?\)`) })

// Anywhere returns the body with links to other pages replaced by web addresses, so that it works outside of the folder.
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

// Find returns the page with a name, in upper or lower case, with or without folder and extension.
func Find(name string) *Page {
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(path.Clean(strings.TrimPrefix(name, "docs/")), "/"), ".md"))
	name = strings.TrimPrefix(strings.TrimSuffix(name, "/readme"), "checks/")
	return all().named[strings.ReplaceAll(name, "_", "-")]
}

// OfCode returns the page of a code, or nil for an unknown code.
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
	m.sort()
	// Readers on the web find their files beside the others.
	err = errors.Join(err, m.add("language-reference.md", lang.Reference()), m.add("checks/README.md", m.index()))
	if err != nil {
		panic(err) // the pages are part of the program, and the tests parse all of them
	}
	m.sort()
	return m
})

// sort puts the pages in order: those of codes last, each part by name.
func (m *manual) sort() {
	slices.SortFunc(m.pages, func(a, b *Page) int {
		return cmp.Or(strings.Compare(kind(a), kind(b)), strings.Compare(a.Name, b.Name))
	})
}

// index writes the page of all codes, by symptom and by family.
func (m *manual) index() string {
	var b strings.Builder
	b.WriteString("# Every code\n\nGenerated from the pages beside it (`make update`); `rocec explain CODE` prints them.\n\n" +
		"Examples are the lines that matter. The lines that they leave out are those of a sound fabric. A comment such as `# no ecn`\n" +
		"leaves lines out on purpose. Every example is run in the tests, and gives its code. Each fix removes the finding.\n" +
		"[known.md](../known.md) lists every known way a RoCE fabric is misconfigured, with the codes that report it.\n" +
		"\n## By symptom\n\n[troubleshooting.md](../troubleshooting.md) says how to tell them apart.\n" +
		"`rocec storm` finds the port where pauses begin ([storm.md](../storm.md)).\n\n" +
		"| you see | look at |\n| --- | --- |\n")
	for _, s := range m.symptoms() {
		links := make([]string, len(s.Codes))
		for i, code := range s.Codes {
			links[i] = fmt.Sprintf("[%s](%[1]s.md)", code)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", s.Seen, strings.Join(links, ", "))
	}
	b.WriteString("\n## By family\n")
	for _, f := range Families {
		fmt.Fprintf(&b, "\n### %s\n\n`%s`\n\n| code | in one line | reported as |\n| --- | --- | --- |\n", f.Title,
			diag.Rocec("explain", diag.Flag("--list", diag.Arg("FAMILY", f.Name))))
		for _, p := range m.pages {
			if p.Family == f.Name {
				fmt.Fprintf(&b, "| [%s](%[1]s.md) | %s | %s |\n", p.Code, p.Summary, strings.Join(p.Severities, ", "))
			}
		}
	}
	return b.String()
}

// Symptom is something that an operator sees, with the codes whose pages name it.
type Symptom struct {
	Seen  string
	Codes []string
}

// Symptoms lists the symptoms that pages of codes name, sorted.
func Symptoms() []Symptom { return all().symptoms() }

func (m *manual) symptoms() (out []Symptom) {
	codes := map[string][]string{}
	for _, p := range m.pages {
		for _, s := range p.Symptoms {
			codes[s] = append(codes[s], p.Code)
		}
	}
	for _, s := range slices.Sorted(maps.Keys(codes)) {
		out = append(out, Symptom{s, codes[s]})
	}
	return out
}

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

// kind returns a sort key: pages of codes come after the others.
func kind(p *Page) string {
	if p.Code != "" {
		return "code"
	}
	return ""
}

// parsePage parses a page. The page of a code begins with front matter, and its title is the code and the summary.
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
