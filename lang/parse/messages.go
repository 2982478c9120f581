package parse

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
)

// HCL reports which rule of its grammar failed. A person needs to know what to write, and where. So this file replaces the messages of
// the parser by our own. A mistake that is not in the tables keeps HCL's message.

// reportSyntax reports the first mistake that the parser found, and the mistakes in the rest of the file. After a mistake the parser
// reports several wrong errors, and then stops. So reportSyntax starts the parser again at the next block of the file, unless the
// mistake affects the rest of the file.
func reportSyntax(hds hcl.Diagnostics, name string, src []byte, tokens hclsyntax.Tokens, ds *diag.List) {
	const most = 20
	work := 4 * MaxFile // bytes that may be parsed again
	for range most {
		first := -1
		for i, d := range hds {
			if d.Severity == hcl.DiagError && d.Summary != redefined && (first < 0 || placeOf(d).Byte < placeOf(hds[first]).Byte) {
				first = i
			}
		}
		if first < 0 {
			return
		}
		s := slip{d: hds[first], src: src, tokens: tokens}
		s.read()
		s.at.Filename = name
		out := Syntax.Errorf(ds, s.at, "%s", s.says)
		for _, n := range s.notes {
			out.Note(n.At, "%s", n.Message)
		}
		from, ok := nextBlock(src, placeOf(s.d))
		if work -= len(src) - from.Byte; s.endless || !ok || work < 0 {
			return
		}
		_, hds = hclsyntax.ParseConfig(src[from.Byte:], name, from)
	}
}

// redefined is the summary of hcl for an attribute that is set twice, which is not a mistake of syntax.
const redefined = "Attribute redefined"

func placeOf(d *hcl.Diagnostic) hcl.Pos {
	if d.Subject == nil {
		return hcl.InitialPos
	}
	return d.Subject.Start
}

// nextBlock returns the first line after pos that begins like a block, without a space before it.
func nextBlock(src []byte, pos hcl.Pos) (hcl.Pos, bool) {
	line := pos.Line
	for i := max(pos.Byte, 0); i < len(src); {
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		line++
		rest := src[i:]
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			rest = rest[:end]
		}
		if len(rest) > 0 && isLetter(rest[0]) && blockLine().Match(rest) {
			return hcl.Pos{Line: line, Column: 1, Byte: i}, true
		}
	}
	return hcl.Pos{}, false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// slip is one error of the parser, for which read finds a message.
type slip struct {
	d      *hcl.Diagnostic
	src    []byte
	tokens hclsyntax.Tokens

	at      diag.Range
	says    string
	notes   []diag.Note
	endless bool // the text after it cannot be parsed
}

// syntaxWords has our messages for errors of HCL that do not depend on the text. A row matches by the summary of the error and the
// beginning of its detail.
var syntaxWords = []struct{ summary, detail, says string }{
	{"Invalid block definition", "The equals sign", `A block is written without an equals sign: kind "label" { ... }. Delete the sign.`},
	{
		"Invalid single-argument block definition", "An argument definition on the same line",
		"A block that has an attribute on its first line must end on that line. Put the attribute on a separate line, or close the block " +
			"after it.",
	},
	{"Invalid single-argument block definition", "", "A block on one line can have only one attribute. Put every attribute on a separate " +
		"line."},
	{"Argument definition required", "", "A block on one line can have only one attribute, and no blocks. Put its content on separate " +
		"lines."},
	{"Missing newline after block definition", "", "No text can follow a block on its line. Put the text on a new line."},
	{"Unexpected comma after argument", "", "Attributes are on separate lines, without commas between them. Delete the comma."},
	{"Missing false expression in conditional", "", "A conditional has two values, condition ? value : value, but the second is missing. " +
		"Write : and the value, or delete the ?."},
	{"Invalid legacy index syntax", "", "An index is written in brackets. Write list[0] instead of list.0."},
	{"Nested splat expression not allowed", "", "An expression with [*] or .* can have only one *. Write [for x in list : ...] instead."},
	{"Invalid attribute name", "", "A name is missing after the dot. Write a name, or delete the dot."},
	{"Attribute name required", "", "A name is missing after the dot. Write a name, or delete the dot."},
	{"Index value required", "", "The brackets are empty. Write an index or a key in them."},
	{"Missing close bracket on splat index", "", "The bracket after * is never closed. Write [*]."},
	{"Missing close bracket on index", "", "The bracket of the index is never closed. Write ] after the index."},
	{"Unclosed index brackets", "", "The bracket of the index is never closed. Write ] after the index."},
	{"Unbalanced parentheses", "", "A closing bracket ) is missing before this text. Write it, or delete the opening bracket."},
	{"Missing expression", "", "The file ends where a value is expected. Write the value."},
	{"Missing function name", "", "The name of a function is missing after ::. Functions have plain names here. Delete the ::."},
	{"Missing open parenthesis", "", "Functions have plain names here, without ::, and their arguments are in brackets. Write " +
		"name(argument)."},
	{"Missing closing parenthesis", "", "No argument may follow an argument with \"...\". Close the bracket after it."},
	{"Missing argument separator", "", "A comma or a closing bracket ) is missing here, in the arguments of a function. Write the missing " +
		"character."},
	{"Missing key/value separator", "", `An object is written { key = value }, but the equals sign is missing here. Write the sign; put a key that is not a plain name in quotes.`},
	{"Missing attribute value", "", `An object is written { key = value }, but the value is missing here. Write the value.`},
	{"Missing attribute separator", "", "A comma, a new line or the closing brace is missing here, after the value. Write the missing " +
		"character."},
	{
		"Invalid 'for' expression", "For expression requires variable",
		"The name of the element is missing after for. Write [for x in list : value].",
	},
	{
		"Invalid 'for' expression", "For expression requires value",
		"A second name is missing after the comma. Write [for key, x in map : value].",
	},
	{"Invalid 'for' expression", "For expression requires the 'in'", `The word "in" is missing here. Write [for x in list : value].`},
	{
		"Invalid 'for' expression", "For expression requires a colon",
		"A colon is missing here, after the list. Write [for x in list : value].",
	},
	{"Invalid 'for' expression", "Extra characters", "This text follows the end of the for expression. Close its bracket before this " +
		"text, or delete the text."},
	{
		"Invalid 'for' expression", "Key expression is not valid",
		"In [ ] a for expression makes a list, which has no keys. Write { for ... : key => value } for an object, or delete the key.",
	},
	{"Invalid 'for' expression", "Grouping ellipsis", `In [ ] a for expression makes a list, which cannot be grouped. Delete the "...".`},
	{
		"Invalid 'for' expression", "Key expression is required",
		"In { } a for expression makes an object, which needs a key and a value. Write { for x in list : key => value }, or [ ] for a list.",
	},
	{"Invalid string literal", "Template", `This text must be a literal, without ${ } or %{ }. Write the text itself, or "$$" and "%%" for the characters "$" and "%" before a brace.`},
	{"Invalid string literal", "", "A text in quotes is expected here. Write a text such as \"leaf1\"."},
	{"Invalid escape sequence", "The \\u", `\u needs four hexadecimal digits. Write the digits, or \\ for a backslash.`},
	{"Invalid escape sequence", "The \\U", `\U needs eight hexadecimal digits. Write the digits, or \\ for a backslash.`},
	{"Invalid escape sequence", "Cannot encode", `There is no such character. Correct the number, or write \\ for a backslash.`},
	{"Invalid escape sequence", "", `There is no such escape. Write \\ for a backslash; the others are \n, \r, \t, \", \uNNNN and \UNNNNNNNN.`},
	{
		"Extra characters after interpolation expression", "",
		"The ${ before this text can contain only one expression. Write } before this text, or delete the text.",
	},
	{"Unexpected end of template", "", "A %{ if } or %{ for } of the text has no end. Write %{ endif } or %{ endfor }."},
	{"Invalid template control keyword", "", "After %{, one of if, else, endif, for or endfor is needed. Write it, or %%{ for the " +
		"characters %{."},
	{"Invalid template directive", "", "After %{, one of if, else, endif, for or endfor is needed. Write it, or %%{ for the characters %{."},
	{"Invalid 'for' directive", "", "The form of a loop is %{ for x in list }. Correct the loop."},
	{"Unexpected else directive", "", "There is no %{ if } for this else. Delete it, or write the if."},
	{"Unexpected endif directive", "", "There is no %{ if } for this endif. Delete it, or write the if."},
	{"Unexpected endfor directive", "", "There is no %{ for } for this endfor. Delete it, or write the for."},
	{"Unsupported operator", "Bitwise operators are not supported. Did you mean boolean AND", `There is no operator "&". Write && for "and".`},
	{"Unsupported operator", "Bitwise operators are not supported. Did you mean boolean OR", `There is no operator "|". Write || for "or".`},
	{"Unsupported operator", "Bitwise operators are not supported. Did you mean boolean NOT", `There is no operator "~". Write ! for "not".`},
	{"Unsupported operator", "", "There is no such operator. Write pow(2, 3) for a power; sums and products are written with + - * / and %."},
}

func (s *slip) read() {
	d := s.d
	s.at = Start("")
	if d.Subject != nil {
		s.at = *d.Subject
	}
	if d.Subject != nil && s.special() {
		return
	}
	for _, w := range syntaxWords {
		if d.Summary == w.summary && strings.HasPrefix(d.Detail, w.detail) {
			s.says = w.says
			return
		}
	}
	s.says = strings.TrimSuffix(strings.ReplaceAll(d.Detail, "\n", " "), ".") + ". Correct the text here."
}

// special finds messages that depend on the text around the place.
func (s *slip) special() bool {
	tok := string(s.at.SliceBytes(s.src))
	switch s.d.Summary {
	case "Invalid character":
		s.character(tok)
	case "Invalid character encoding":
		s.says = "The file is not UTF-8 text here. Save it as UTF-8."
	case "Invalid multi-line string", "Unterminated string literal", "Unterminated template string":
		s.endless = true
		if i, j := s.before(hclsyntax.TokenOHeredoc), s.before(hclsyntax.TokenOQuote); i > j {
			s.at = s.line(s.tokens[i].Range)
			s.says = "The text that begins here never ends. Write the word after << again, alone on the line after the text."
			break
		}
		s.says = "The text that begins here has no closing quote on its line. Close the quote; a text of several lines is written between " +
			"<<EOT and EOT."
		if i := s.before(hclsyntax.TokenOQuote); i >= 0 {
			s.at = hcl.RangeBetween(s.tokens[i].Range, s.line(s.tokens[i].Range))
		}
	case "Unclosed template interpolation sequence":
		s.endless = true
		s.says = "In this text a ${ is never closed. Write } after its expression."
		if i := s.before(hclsyntax.TokenOQuote); i >= 0 {
			s.at = hcl.RangeBetween(s.tokens[i].Range, s.line(s.tokens[i].Range))
		}
	case "Invalid argument name":
		s.says = "The name of an attribute is written without quotes. Delete the quotes."
		if i := bytes.IndexByte(s.line(s.at).SliceBytes(s.src)[1:], '"'); i >= 0 {
			s.at.End = hcl.Pos{Line: s.at.Start.Line, Byte: s.at.Start.Byte + i + 2, Column: s.at.Start.Column +
				utf8.RuneCount(s.src[s.at.Start.Byte:s.at.Start.Byte+i+2])}
		}
	case "Unclosed configuration block", "Unclosed configuration body":
		s.endless = true
		s.says = "This block is never closed: the file ends before its brace }. Write the brace where the block should end."
		s.swallowed()
	case "Unterminated tuple constructor expression", "Unterminated object constructor expression", "Unterminated function call":
		s.endless = true
		s.says = "This bracket is never closed before the end of the file. Write the closing bracket after the last element."
	case "Argument or block definition required":
		s.item(tok)
	case "Invalid block definition":
		return s.header(tok)
	case "Missing newline after argument":
		s.behindValue(tok)
	case "Invalid number literal":
		s.says = fmt.Sprintf("%s is not a number. Write text in quotes, including releases and addresses: \"%s\".", diag.Plain(tok),
			diag.Plain(tok))
	case "Invalid expression":
		s.noValue(tok)
	case "Missing item separator":
		s.says = "A comma or the closing bracket ] is missing before this text, in a list. Write the missing character."
	default:
		return false
	}
	return true
}

// before returns the last token of kind ty that starts before the place, or -1.
func (s *slip) before(ty hclsyntax.TokenType) int {
	i, _ := slices.BinarySearchFunc(s.tokens, s.at.Start.Byte,
		func(t hclsyntax.Token, at int) int { return cmp.Compare(t.Range.Start.Byte, at) })
	for i--; i >= 0; i-- {
		if s.tokens[i].Type == ty {
			return i
		}
	}
	return -1
}

// line returns the rest of the line on which r starts, without the end of the line.
func (s *slip) line(r diag.Range) diag.Range {
	end := r.Start.Byte
	for end < len(s.src) && s.src[end] != '\n' && s.src[end] != '\r' {
		end++
	}
	out := r
	out.End = hcl.Pos{Line: r.Start.Line, Byte: end, Column: r.Start.Column + utf8.RuneCount(s.src[r.Start.Byte:end])}
	return out
}

// swallowed adds a note if, inside a block that is never closed, another block starts at the left edge. The brace is probably missing
// there.
func (s *slip) swallowed() {
	pos, ok := nextBlock(s.src, s.at.Start)
	if !ok {
		return
	}
	at := s.line(diag.Range{Filename: s.at.Filename, Start: pos})
	word := bytes.IndexFunc(at.SliceBytes(s.src), func(r rune) bool { return !unicode.IsLetter(r) && r != '_' })
	at.End = hcl.Pos{Line: pos.Line, Column: 1 + word, Byte: pos.Byte + word}
	s.notes = append(s.notes, diag.Note{Message: "perhaps before this", At: at})
}

var blockLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z_]+( +("[^"]*"|[a-z_]+))* *\{`) })

// character writes the message about a character that the language does not have.
func (s *slip) character(tok string) {
	switch r, _ := utf8.DecodeRuneInString(tok); {
	case strings.ContainsAny(tok, "“”„‟«»"):
		s.says = `These are typographic quotes, which come from documents and chats. Write straight quotes: "text".`
	case tok == "'" || tok == "‘" || tok == "’" || tok == "`":
		s.says = `Text is written between double quotes. Write "text".`
	case tok == ";":
		s.says = "A line has no semicolon at its end. Delete it, and put every attribute on a separate line."
	case tok == "$" || tok == "${":
		s.says = "${ } is used only inside of quotes. Write var.name, or put the whole text in quotes."
	case strings.Contains(s.d.Detail, "Tab"):
		s.says = "A tab is not allowed here. Write spaces."
	case tok == `\`:
		s.says = `A backslash is used only inside of quotes. Delete it; a long expression can have several lines between brackets ( ).`
	case unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Cc, r):
		s.says = fmt.Sprintf("There is an invisible character here, U+%04X. Write a plain space, or delete it.", r)
	default:
		s.says = fmt.Sprintf("The character %s is not part of the language. Delete it, or put the text it belongs to in quotes.",
			diag.Escape(tok))
	}
}

// item writes the message about a token where an attribute or a block should begin.
func (s *slip) item(tok string) {
	rest := strings.TrimLeft(string(s.src[min(s.at.End.Byte, len(s.src)):]), " \t")
	line := string(s.line(diag.Range{Start: s.at.Start}).SliceBytes(s.src))
	switch {
	case mergeMark(line):
		s.endless = true
		s.at = s.line(s.at)
		s.says = "This line is left from a merge of two versions. Delete the lines with the marks, and one of the two versions."
	case isIdentifier(tok) && strings.HasPrefix(rest, ":"):
		s.says = fmt.Sprintf("An attribute is set with an equals sign, not with a colon. Write %s = ...", diag.Plain(tok))
	case isIdentifier(tok) && strings.HasPrefix(rest, "."):
		s.says = fmt.Sprintf("The name of an attribute cannot contain a dot. Write %s { ... } with the attribute in it, if it is a block.",
			diag.Plain(tok))
	case isIdentifier(tok):
		s.says = fmt.Sprintf("Neither = nor a block follows %q. Write %s = ... for an attribute, or %s \"label\" { ... } for a block.",
			diag.Plain(tok), diag.Plain(tok), diag.Plain(tok))
	case tok == "}":
		s.says = "This brace closes nothing. Delete it, or look for a block above that ends too early."
	case tok == "{" && s.at.Start.Line == 1:
		s.says = `A file begins with a block such as fabric "pod1" { ... }. Write a block; JSON is not supported.`
	case tok == "{":
		s.says = "This brace belongs to no block. Put it on the line of the block's name, after the label."
	case strings.HasPrefix(line, "--"):
		s.says = "A comment begins with # or //. Write # instead of the dashes."
	case strings.HasPrefix(line, "/*"):
		s.endless = true
		s.at = s.line(s.at)
		s.says = "The comment that begins here never ends. Write */ at its end."
	case strings.HasPrefix(tok, "\""):
		s.says = "A name is expected here. Names are written without quotes. Delete the quotes."
	default:
		s.says = "An attribute (name = value) or a block is expected here; their names start with a letter. Write an attribute or a block, " +
			"or delete this text."
	}
}

func mergeMark(line string) bool {
	return strings.HasPrefix(line, "<<<<<<<") || strings.HasPrefix(line, ">>>>>>>") || strings.HasPrefix(line, "=======")
}

func isIdentifier(s string) bool { return hclsyntax.ValidIdentifier(s) }

// header writes the message about text after a kind and labels that is neither a brace nor a label.
func (s *slip) header(tok string) bool {
	if strings.HasPrefix(s.d.Detail, "The equals sign") {
		return false
	}
	if !strings.HasPrefix(s.d.Detail, "A block definition must have") { // newline
		s.says = fmt.Sprintf("A label in quotes or an opening brace { is expected here. Write kind \"label\" { ... }, and put %s in quotes if "+
			"it is the label.", diag.Plain(tok))
		return true
	}
	head := strings.TrimRight(string(s.src[s.d.Context.Start.Byte:s.at.Start.Byte]), " \t")
	words := strings.Fields(head)
	at := *s.d.Context
	at.End = hcl.Pos{Line: at.Start.Line, Column: at.Start.Column + utf8.RuneCountInString(head), Byte: at.Start.Byte + len(head)}
	s.at = at
	next := strings.TrimLeft(string(s.src[min(s.d.Subject.End.Byte, len(s.src)):]), " \t\r\n")
	if strings.HasPrefix(next, "{") {
		s.says = "The opening brace { of a block belongs on the same line as its name. Move it here."
		return true
	}
	s.says = fmt.Sprintf("This line has neither = nor {. Write %s = %s for an attribute, or { at its end for a block.", diag.Plain(words[0]),
		diag.Plain(strings.Join(words[1:], " ")))
	return true
}

// behindValue writes the message about text that follows a value on its line.
func (s *slip) behindValue(tok string) {
	before := byte(' ')
	if i := s.at.Start.Byte; i > 0 && i <= len(s.src) {
		before = s.src[i-1]
	}
	switch {
	case tok == "{":
		s.says = "A block is written without an equals sign, and begins on a new line. Delete the equals sign."
	case tok == "=":
		s.says = "A single equals sign does not compare values. Write == to compare two values."
	case tok == "and" || tok == "or":
		s.says = fmt.Sprintf("%q is not an operator. Write %s.", tok, map[string]string{"and": "&&", "or": "||"}[tok])
	case '0' <= before && before <= '9' && tok != "" && (isLetter(tok[0]) || tok[0] == '_'):
		from := s.at.Start.Byte
		for from > 0 && (s.src[from-1] == '.' || '0' <= s.src[from-1] && s.src[from-1] <= '9') {
			from--
		}
		s.at.Start.Column -= s.at.Start.Byte - from
		s.at.Start.Byte = from
		value := string(s.at.SliceBytes(s.src))
		s.says = fmt.Sprintf("%s is not a number. Write decimal digits only, such as 9216.", diag.Plain(value))
		if withUnit().MatchString(value) {
			s.says = fmt.Sprintf("A number with a unit is written in quotes. Write \"%s\".", diag.Plain(value))
		}
	case strings.HasPrefix(tok, "\""):
		s.says = "A quote follows the value here. A text has a quote at both ends. Write the missing quote, or delete this one."
	case isIdentifier(tok):
		s.says = fmt.Sprintf("%q follows a value on its line. Put every attribute on a separate line.", diag.Plain(tok))
	default:
		s.says = fmt.Sprintf("%s follows a value on its line. Delete it, or put the text it belongs to in quotes.", quoted(tok))
	}
}

var withUnit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A[0-9][0-9.]*[A-Za-wyz][A-Za-z]*\z`) })

// noValue writes the message about a token where a value should begin.
func (s *slip) noValue(tok string) {
	switch {
	case tok == "" || tok[0] == '\n' || tok[0] == '\r' || tok[0] == '#' || strings.HasPrefix(tok, "//"):
		s.says = "The value is missing. Write a value after the equals sign, or delete the attribute."
		if i := s.before(hclsyntax.TokenEqual); i >= 0 && s.tokens[i].Range.Start.Line == s.at.Start.Line {
			s.at = s.tokens[i].Range
		}
	case tok == "*":
		s.says = "There is no value before the *. Write pow(2, 3) for a power."
	case tok == "<":
		s.says = "A text of several lines begins after <<EOT at the end of a line, and ends with EOT alone on a line. Write it in this form, " +
			"or put the text in quotes."
	case tok == "=":
		s.says = "There is one equals sign too many. Write name = value, or == to compare two values."
	case tok == "&" || tok == "|":
		s.says = "The operators are && for \"and\" and || for \"or\". Write one of them."
	default:
		s.says = fmt.Sprintf("A value is expected before %s. Write the value.", quoted(tok))
	}
}

// quoted returns a token of the file for a message.
func quoted(tok string) string {
	if strings.TrimSpace(tok) == "" {
		return "the end of the line"
	}
	tok, _, _ = strings.Cut(tok, "\n")
	return diag.Plain(tok)
}
