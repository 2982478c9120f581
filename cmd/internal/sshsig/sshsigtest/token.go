// Package sshsigtest has a FIDO token in software, for tests of signatures.
package sshsigtest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
)

const (
	kind        = "sk-ssh-ed25519@openssh.com"
	application = "ssh:"
	magic       = "SSHSIG"
	counter     = 7
)

// Token is an Ed25519 key whose signatures have the flags and the counter of a token (PROTOCOL.u2f of OpenSSH).
type Token struct {
	private ed25519.PrivateKey
	blob    []byte // the public half
}

// NewToken returns the token of a seed of 32 bytes.
func NewToken(seed []byte) *Token {
	private := ed25519.NewKeyFromSeed(seed)
	return &Token{private, texts([]byte(kind), private[ed25519.SeedSize:], []byte(application))}
}

// Line returns the public half, as a line of allowed_signers has it.
func (k *Token) Line() string { return kind + " " + base64.StdEncoding.EncodeToString(k.blob) }

// Sign signs a message in a namespace. Bit 0 of the flags states that a person touched the token.
func (k *Token) Sign(namespace string, message []byte, flags byte) []byte {
	sum := sha512.Sum512(message)
	signed := append([]byte(magic), texts([]byte(namespace), nil, []byte("sha512"), sum[:])...)
	of, inner := sha256.Sum256([]byte(application)), sha256.Sum256(signed)
	data := append(binary.BigEndian.AppendUint32(append(of[:], flags), counter), inner[:]...)
	sig := texts([]byte(kind), ed25519.Sign(k.private, data))
	sig = binary.BigEndian.AppendUint32(append(sig, flags), counter)
	out := binary.BigEndian.AppendUint32([]byte(magic), 1)
	out = append(out, texts(k.blob, []byte(namespace), nil, []byte("sha512"), sig)...)
	return []byte("-----BEGIN SSH SIGNATURE-----\n" + base64.StdEncoding.EncodeToString(out) + "\n-----END SSH SIGNATURE-----\n")
}

// texts returns texts in the form of the wire, each after its length.
func texts(parts ...[]byte) (out []byte) {
	for _, part := range parts {
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(part))), part...) //nolint:gosec // of a test
	}
	return out
}
