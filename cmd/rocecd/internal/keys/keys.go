// Package keys has the [Ring] of a hub: the keys and certificates by which sites and persons connect to it.
//
// They protect the transport alone: who may publish and read which subjects. What a person or a site says is signed by an SSH key, which
// the hub does not have. So the thief of a ring can delay and forbid, and cannot change a device.
//
// A ring is a folder that only its owner can read. It has an operator and an account of NATS (nkeys), and the users of the account with
// their rights (JWT). Its authority signs the certificates of servers and of people who read the pages (X.509, ECDSA P-256).
package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/rocec/rocec/cmd/internal/broker"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/wholefile"
)

// Role decides what a user may do on the hub.
type Role string

// The roles.
const (
	Site     Role = "site"     // works for one site
	Operator Role = "operator" // submits plans and statements, and reads
	Reader   Role = "reader"   // reads
	Hub      Role = "hub"      // of rocecd serve itself: makes the stream
)

// Validity is how long credentials and certificates are valid, if the command names no other time.
const Validity = 90 * 24 * time.Hour

// The files of a ring.
const (
	operatorSeed = "operator.nk"
	accountSeed  = "account.nk"
	systemSeed   = "system.nk"
	operatorJWT  = "operator.jwt"
	accountJWT   = "account.jwt"
	usersFile    = "users.json"
	authority    = "ca"     // .crt and .key
	serverName   = "server" // .crt and .key
)

// User is a user of the ring.
type User struct {
	Name    string    `json:"name"`
	Role    Role      `json:"role"`
	Key     string    `json:"key"` // public nkey
	Issued  time.Time `json:"issued"`
	Expires time.Time `json:"expires"`
	Revoked time.Time `json:"revoked,omitzero"`
}

// Ring is a folder of keys.
type Ring struct {
	dir      string
	operator nkeys.KeyPair
	account  nkeys.KeyPair
	system   nkeys.KeyPair // of the account that the server itself needs; it has no users
	users    []User
	now      func() time.Time
}

// Make makes a ring in a folder that is missing or empty.
func Make(dir string, now func() time.Time) (*Ring, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty. A new ring in it would lock out every site: name another folder, or remove this one", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	r := &Ring{dir: dir, now: now}
	var err error
	if r.operator, err = nkeys.CreateOperator(); err != nil {
		return nil, err
	}
	if r.account, err = nkeys.CreateAccount(); err != nil {
		return nil, err
	}
	if r.system, err = nkeys.CreateAccount(); err != nil {
		return nil, err
	}
	for name, pair := range map[string]nkeys.KeyPair{operatorSeed: r.operator, accountSeed: r.account, systemSeed: r.system} {
		seed, err := pair.Seed()
		if err != nil {
			return nil, err
		}
		if err := r.write(name, seed); err != nil {
			return nil, err
		}
	}
	text, err := jwt.NewOperatorClaims(public(r.operator)).Encode(r.operator)
	if err != nil {
		return nil, err
	}
	if err := r.write(operatorJWT, []byte(text)); err != nil {
		return nil, err
	}
	if err := r.makeAuthority(); err != nil {
		return nil, err
	}
	return r, r.save()
}

// Open opens the ring in a folder.
func Open(dir string, now func() time.Time) (*Ring, error) {
	r := &Ring{dir: dir, now: now}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("there is no ring of keys: rocecd keys init makes one (%w)", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the mode %04o of %s lets other users read keys: chmod 700", info.Mode().Perm(), dir)
	}
	for name, pair := range map[string]*nkeys.KeyPair{operatorSeed: &r.operator, accountSeed: &r.account, systemSeed: &r.system} {
		seed, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if *pair, err = nkeys.FromSeed([]byte(strings.TrimSpace(string(seed)))); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, usersFile))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &r.users); err != nil {
		return nil, fmt.Errorf("%s: %w", usersFile, err)
	}
	return r, nil
}

// Users returns the users of the ring, in the order of their names.
func (r *Ring) Users() []User { return slices.Clone(r.users) }

// Add makes a user, and returns its credentials: the content of the file of --creds. Credentials of an earlier user with the name are
// revoked.
func (r *Ring) Add(name string, role Role, valid time.Duration) (creds []byte, err error) {
	if !statement.Token(name) {
		return nil, fmt.Errorf("%q is no name of a user: letters, digits, \"-\" and \"_\"", name)
	}
	if i := r.find(name); i >= 0 {
		r.users[i].Revoked = r.now().UTC().Truncate(time.Second)
		r.users[i].Name += fmt.Sprintf("@%d", r.users[i].Issued.Unix())
	}
	creds, u, err := r.credentials(name, role, valid)
	if err != nil {
		return nil, err
	}
	r.users = append(r.users, u)
	return creds, r.save()
}

// credentials makes a user and its credentials.
func (r *Ring) credentials(name string, role Role, valid time.Duration) (creds []byte, u User, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, u, err
	}
	u = User{Name: name, Role: role, Key: public(pair), Issued: r.now().UTC().Truncate(time.Second)}
	u.Expires = u.Issued.Add(valid)
	claims := jwt.NewUserClaims(u.Key)
	claims.Name, claims.Expires = string(role)+" "+name, u.Expires.Unix()
	if claims.Permissions, err = permissions(role, name); err != nil {
		return nil, u, err
	}
	text, err := claims.Encode(r.account)
	if err != nil {
		return nil, u, err
	}
	seed, err := pair.Seed()
	if err != nil {
		return nil, u, err
	}
	creds, err = jwt.FormatUserConfig(text, seed)
	return creds, u, err
}

// Find returns the user with a name that is not revoked; nil: the ring has no such user.
func (r *Ring) Find(name string) *User {
	if i := r.find(name); i >= 0 {
		return &r.users[i]
	}
	return nil
}

// Revoke ends the credentials of a user. A server that serves the ring disconnects it.
func (r *Ring) Revoke(name string) error {
	i := r.find(name)
	if i < 0 {
		return fmt.Errorf("the ring has no user %q", name)
	}
	r.users[i].Revoked = r.now().UTC().Truncate(time.Second)
	return r.save()
}

func (r *Ring) find(name string) int {
	return slices.IndexFunc(r.users, func(u User) bool { return u.Name == name && u.Revoked.IsZero() })
}

// save writes the users, and the account with the keys that are revoked.
func (r *Ring) save() error {
	slices.SortFunc(r.users, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	claims := jwt.NewAccountClaims(public(r.account))
	claims.Name = "rocec"
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: jwt.NoLimit, MemoryStorage: jwt.NoLimit}
	for _, u := range r.users {
		if !u.Revoked.IsZero() {
			claims.Revoke(u.Key)
		}
	}
	text, err := claims.Encode(r.operator)
	if err != nil {
		return err
	}
	users, err := json.MarshalIndent(r.users, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(r.write(accountJWT, []byte(text)), r.write(usersFile, append(users, '\n')))
}

// Trust is the part of a ring that a server needs: JWTs, and the public keys of its two accounts.
type Trust struct {
	Operator *jwt.OperatorClaims
	JWT      string            // of the operator
	Accounts map[string]string // JWTs by public key
	Account  string            // public key of the account of all users
	System   string            // public key of the account of the server
}

// Trust returns what a server needs to know of the ring now.
func (r *Ring) Trust() (*Trust, error) {
	text, err := os.ReadFile(filepath.Join(r.dir, operatorJWT))
	if err != nil {
		return nil, err
	}
	t := &Trust{JWT: string(text), Account: public(r.account), System: public(r.system), Accounts: map[string]string{}}
	if t.Operator, err = jwt.DecodeOperatorClaims(string(text)); err != nil {
		return nil, err
	}
	of, err := os.ReadFile(filepath.Join(r.dir, accountJWT))
	if err != nil {
		return nil, err
	}
	t.Accounts[t.Account] = string(of)
	system := jwt.NewAccountClaims(t.System)
	system.Name = "system"
	t.Accounts[t.System], err = system.Encode(r.operator)
	return t, err
}

func (r *Ring) write(name string, data []byte) error {
	return wholefile.ReplaceLink(filepath.Join(r.dir, name), data, 0o600)
}

func public(pair nkeys.KeyPair) string {
	key, err := pair.PublicKey()
	if err != nil {
		panic("keys: " + err.Error()) // a pair that was made or read has a public key
	}
	return key
}

// reads returns the subjects that JetStream needs of a client that reads the streams: their state, consumers of its own, and their
// messages.
func reads() jwt.StringList {
	out := jwt.StringList{"$JS.API.INFO"}
	for _, stream := range []string{broker.Stream, broker.AliveStream} {
		out.Add("$JS.API.STREAM.INFO."+stream, "$JS.API.CONSUMER.CREATE."+stream+".>", "$JS.API.CONSUMER.INFO."+stream+".>",
			"$JS.API.CONSUMER.DELETE."+stream+".>", "$JS.API.CONSUMER.MSG.NEXT."+stream+".>")
	}
	return out
}

// permissions returns what a user may publish. Every user may read all messages: statements are no secrets.
func permissions(role Role, name string) (out jwt.Permissions, err error) {
	filter := func(kind broker.Kind, site string) string { return broker.Subject{Kind: kind, Site: site}.Filter() }
	out.Sub.Allow = jwt.StringList{"_INBOX.>"}
	out.Pub.Allow = reads()
	switch role {
	case Site:
		for _, kind := range []broker.Kind{broker.Share, broker.Wave, broker.Event, broker.Look, broker.Record} {
			out.Pub.Allow.Add(filter(kind, name))
		}
		out.Pub.Allow.Add(broker.AliveSubject(name))
	case Operator:
		out.Pub.Allow.Add(filter(broker.Ask, ""), filter(broker.Submit, ""), filter(broker.Say, ""))
	case Reader:
	case Hub:
		for _, stream := range []string{broker.Stream, broker.AliveStream} {
			out.Pub.Allow.Add("$JS.API.STREAM.CREATE."+stream, "$JS.API.STREAM.UPDATE."+stream)
		}
		out.Pub.Allow.Add("$JS.API.STREAM.PURGE." + broker.Stream)
	default:
		return out, fmt.Errorf("there is no role %q: %s, %s, %s or %s", role, Site, Operator, Reader, Hub)
	}
	return out, nil
}
