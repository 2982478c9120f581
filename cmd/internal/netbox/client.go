package netbox

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/origin"
	"github.com/rocec/rocec/lang/diag"
)

// The bounds of a run.
const (
	pageRows  = 1000        // rows per request: the default maximum of NetBox
	pageBytes = 64 << 20    // of one answer
	allBytes  = 512 << 20   // of all answers
	allRows   = 500_000     // of one list
	allPages  = 5_000       // of all lists
	timeout   = time.Minute // of one request
	longWait  = time.Minute // before a request is repeated
	waits     = 20          // of a run
	mostToken = 512
)

// client sends requests to one origin.
type client struct {
	ctx   context.Context
	http  *http.Client
	base  *url.URL
	query string // site=… and location=…, as the person gave it
	kind  string
	token string
	wait  func(context.Context, time.Duration) error

	depth        string // the parameter with which Nautobot 2 and later returns nested objects
	nautobot     bool
	bytes, pages int
	waited       int
}

// newClient reads a source and the token of its kind.
func newClient(ctx context.Context, source string, env Environment) (*client, error) {
	kind, rest, _ := strings.Cut(source, ":")
	c := &client{ctx: ctx, kind: kind, wait: env.Wait}
	if c.wait == nil {
		c.wait = sleep
	}
	example := kind + ":https://" + kind + ".example.net"
	u, err := url.Parse(rest)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, exit.Fail(exit.Usage, "--from %s is not the URL of an inventory; an example is %s", kind, example)
	case u.User != nil:
		return nil, exit.Fail(exit.Usage, "--from %s: leave the user and the password out of the URL; rocec uses only the token in %s",
			kind, Kinds[kind])
	case u.Scheme == "http" && !origin.Loopback(u.Hostname()):
		return nil, exit.Fail(exit.Usage, "--from %s: http would send the token unencrypted; use https", kind)
	}
	query := u.Query()
	for name := range query {
		if name != "site" && name != "location" {
			return nil, exit.Fail(exit.Usage, "--from %s: the URL may end in ?site=SLUG or ?location=SLUG, and %q is neither", kind, name)
		}
	}
	c.query = query.Encode()
	c.token = strings.TrimSpace(env.Getenv(Kinds[kind]))
	switch {
	case c.token == "":
		return nil, exit.Fail(exit.Usage, "--from %s needs a token with read access: put it into the environment variable %s", kind,
			Kinds[kind])
	case !origin.IsToken(c.token, mostToken):
		return nil, exit.Fail(exit.Usage, "the environment variable %s contains no token: a token is one word of letters and digits",
			Kinds[kind])
	}
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/api")
	c.base = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}
	c.http = origin.NewClient(c.base, timeout)

	return c, nil
}

// sleep waits by the clock of the machine.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// shown returns the name of the inventory for messages.
func (c *client) shown() string { return c.base.String() }

// scope returns the name of the part of the inventory that is read, for messages.
func (c *client) scope() string {
	if c.query == "" {
		return ""
	}
	return " for " + c.query
}

// fail makes the error of a request.
func (c *client) fail(format string, args ...any) error {
	return exit.Fail(exit.Machines, "%s "+format, append([]any{c.shown()}, args...)...)
}

// system finds the system of the inventory and its release.
func (c *client) system() (string, error) {
	var is struct {
		NetBox   string `json:"netbox-version"`
		Nautobot string `json:"nautobot-version"`
	}
	err := c.get("/api/status/", "", func(body io.Reader) error { return json.NewDecoder(body).Decode(&is) })
	if err != nil {
		return "", err
	}
	switch {
	case is.Nautobot != "":
		c.nautobot = true
		if !strings.HasPrefix(is.Nautobot, "1.") {
			c.depth = "depth=1"
		}
		return "Nautobot " + is.Nautobot, nil
	case is.NetBox != "":
		return "NetBox " + is.NetBox, nil
	}
	return "", c.fail("answers, and states the version of neither NetBox nor Nautobot at /api/status/. Name the URL at which the " +
		"inventory begins")
}

// first returns the query of the first page of a list. Nautobot refuses unknown parameters, NetBox ignores them.
func (c *client) first(name string) string {
	var parts []string
	if c.depth != "" {
		parts = append(parts, c.depth)
	}
	if name == "devices" && !c.nautobot {
		parts = append(parts, "exclude=config_context") // it is most of the data of a device
	}
	if name == "interfaces" {
		parts = append(parts, "mgmt_only=true")
	}
	if c.query != "" && name == "cables" { // a cable may lead to a device of another site
		parts = append(parts, c.query)
	}
	return strings.Join(append(parts, "limit="+strconv.Itoa(pageRows)), "&")
}

// list reads all rows of a list.
func list[T any](c *client, name string) ([]T, error) {
	path := "/api/dcim/" + name + "/"
	var all []T
	seen, ids := map[string]bool{}, map[string]bool{}
	for query := c.first(name); ; {
		if seen[query] {
			return nil, c.fail("returns pages in a circle: a page of its %s names an earlier page as the next. Report this to the operator of the "+
				"inventory", name)
		}
		seen[query] = true
		if c.pages++; c.pages > allPages {
			return nil, c.fail("has more than %d pages. Read a part: ?site=SLUG at the end of the URL", allPages)
		}
		var page struct {
			Count   int               `json:"count"`
			Next    *string           `json:"next"`
			Results []json.RawMessage `json:"results"`
		}
		if err := c.get(path, query, func(body io.Reader) error { return json.NewDecoder(body).Decode(&page) }); err != nil {
			return nil, err
		}
		if page.Results == nil {
			return nil, c.fail("returns a list of %s without results. Check that the URL is that of the inventory", name)
		}
		for _, raw := range page.Results {
			var row T
			var id struct {
				ID scalar `json:"id"`
			}
			if err := errors.Join(json.Unmarshal(raw, &row), json.Unmarshal(raw, &id)); err != nil {
				return nil, c.fail("returns %s in a form that rocec does not know: %v", name, err)
			}
			if id.ID.text == "" || !ids[id.ID.text] { // a row may be on two pages while others are added
				all = append(all, row)
			}
			ids[id.ID.text] = true
		}
		if len(all) > allRows {
			return nil, c.fail("has more than %s %s. Read a part: ?site=SLUG at the end of the URL", diag.Number(allRows), name)
		}
		if page.Next == nil || *page.Next == "" {
			if len(all) != page.Count {
				return nil, c.fail("counts %s %s but returned %s: it changed meanwhile. Try again", diag.Number(page.Count), name,
					diag.Number(len(all)))
			}
			return all, nil
		}
		next, err := c.next(path, *page.Next)
		if err != nil {
			return nil, err
		}
		query = next
	}
}

// next returns the query of the next page. It is sent to the origin and the path of the first page. Behind a proxy that terminates TLS,
// the inventory names itself with http; this counts as the same origin.
func (c *client) next(path, link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil || !strings.HasSuffix(u.Path, path) {
		return "", c.fail("names a next page at another path: %s. Report this to the operator of the inventory", diag.Cut(link))
	}
	same := u.Host == c.base.Host || u.Hostname() == c.base.Hostname() && u.Scheme != c.base.Scheme
	if u.Host != "" && !same {
		return "", c.fail("names a next page on another host, %s, which must not get the token. Correct the host name that the inventory "+
			"has of itself",
			u.Host)
	}
	return u.RawQuery, nil
}

// get requests one document, and repeats the request while the inventory asks to wait.
func (c *client) get(path, query string, read func(io.Reader) error) error {
	u := *c.base
	u.Path += path
	u.RawQuery = query
	for {
		again, err := c.once(&u, read)
		if err != nil || again == 0 {
			return err
		}
		switch c.waited++; {
		case again > longWait:
			return c.fail("asks to wait %s before the next request. Try again then", again.Round(time.Second).String())
		case c.waited > waits:
			return c.fail("asked %d times to wait: its rate limit is low, or other programs use it. Try later, or read a part: ?site=SLUG at the "+
				"end of the URL",
				waits)
		}
		if err := c.wait(c.ctx, again); err != nil {
			return err
		}
	}
}

// once sends a request. again is the time to wait before a repetition; 0: the request was answered.
func (c *client) once(u *url.URL, read func(io.Reader) error) (again time.Duration, err error) {
	req, err := http.NewRequestWithContext(c.ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return 0, c.fail("is not a valid URL")
	}
	scheme := "Token "
	if strings.HasPrefix(c.token, "nbt_") { // tokens of NetBox 4.5 and later
		scheme = "Bearer "
	}
	req.Header.Set("Authorization", scheme+c.token)
	req.Header.Set("Accept", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return 0, c.unreachable(err)
	}
	defer res.Body.Close()
	body := &counted{from: res.Body, left: min(pageBytes, allBytes-c.bytes)}
	defer func() { c.bytes += body.read }()
	if res.StatusCode != http.StatusOK {
		return c.refused(u, res, body)
	}
	switch err := read(body); {
	case err == nil:
		return 0, nil
	case errors.Is(err, errTooLarge):
		return 0, c.fail("answers with more than %d MB. Read a part: ?site=SLUG at the end of the URL", body.most()>>20)
	case c.ctx.Err() != nil:
		return 0, c.ctx.Err()
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return 0, c.fail("ends its answer in the middle of %s. Try again", u.Path)
	case isTimeout(err):
		return 0, c.fail("did not finish its answer within %s. Try again, or read a part: ?site=SLUG at the end of the URL",
			timeout.String())
	}
	return 0, c.fail("answers %s with text that is not JSON of an inventory. A login page or a proxy may have answered. Name the URL of "+
		"the API", u.Path)
}

// refused returns the message for an answer that is not a list.
func (c *client) refused(u *url.URL, res *http.Response, body io.Reader) (again time.Duration, err error) {
	status := res.StatusCode
	if wait, ok := retryAfter(res.Header.Get("Retry-After")); status == http.StatusTooManyRequests ||
		status == http.StatusServiceUnavailable && ok {
		if !ok {
			wait = time.Duration(min(c.waited+1, 30)) * time.Second
		}
		return max(wait, time.Second), nil
	}
	detail := ""
	var said struct {
		Detail string `json:"detail"`
	}
	if json.NewDecoder(io.LimitReader(body, 1<<16)).Decode(&said) == nil && said.Detail != "" {
		detail = ": " + diag.Cut(c.withoutToken(said.Detail))
	}
	token := Kinds[c.kind]
	switch {
	case status == http.StatusUnauthorized:
		return 0, c.fail("does not know the token of %s%s. Create a token there, or correct the variable", token, detail)
	case status == http.StatusForbidden:
		return 0, c.fail("refuses %s with the token of %s%s. The token must be valid, and its user may view cables, devices, interfaces, "+
			"front ports "+
			"and rear ports", u.Path, token, detail)
	case status == http.StatusNotFound:
		return 0, c.fail("has nothing at %s. Name the URL at which NetBox or Nautobot begins, without /api", u.Path)
	case status == http.StatusBadRequest:
		return 0, c.fail("refuses the request for %s%s%s. Name a site or a location that it has", u.Path, c.scope(), detail)
	case status >= 500:
		return 0, c.fail("answers %s with status %d: the inventory or its proxy has a fault. Look at its log, or try later", u.Path,
			status)
	}
	return 0, c.fail("answers %s with status %d%s", u.Path, status, detail)
}

// withoutToken removes the token from text of the inventory.
func (c *client) withoutToken(text string) string {
	parts := strings.Split(text, c.token)
	return strings.Join(parts, "TOKEN")
}

// retryAfter reads the header: seconds or a time.
func retryAfter(text string) (time.Duration, bool) {
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n >= 0 && n < 1<<30 {
		return time.Duration(n) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0), true
	}
	return 0, false
}

// unreachable returns the message for a request without an answer. It contains no header, so no token.
func (c *client) unreachable(err error) error {
	var redirect *origin.Redirect
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	var certificate *tls.CertificateVerificationError
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case errors.As(err, &redirect) && redirect.To != "":
		return c.fail("redirects to another origin, %s, which must not get the token. If that is the inventory, name it", redirect.To)
	case redirect != nil:
		return c.fail("redirects more than %d times. Name the URL at which NetBox or Nautobot begins", origin.MaxRedirects)
	case errors.As(err, &name):
		return c.fail("has a certificate for other names. Use a name in the certificate")
	case errors.As(err, &authority) || errors.As(err, &certificate):
		return c.fail("has a certificate that this machine does not trust (%v). Install the certificate of your authority, or name its "+
			"file in SSL_CERT_FILE",
			inner(err))
	case isTimeout(err):
		return c.fail("did not answer within %s. Check the URL, and firewalls and proxies on the way", timeout.String())
	}
	return c.fail("cannot be reached: %v. Check the URL, and that this machine can reach it", inner(err))
}

// inner returns the cause without the URL, which is already in the message.
func inner(err error) error {
	var around *url.Error
	if errors.As(err, &around) {
		return around.Err
	}
	return err
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

var errTooLarge = errors.New("the answer is too large")

// counted reads an answer up to a limit, and counts its bytes.
type counted struct {
	from       io.Reader
	read, left int
}

func (r *counted) most() int { return r.read + r.left }

// Read reads a part of the answer.
func (r *counted) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errTooLarge
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.read, r.left = r.read+n, r.left-n
	return n, err
}
