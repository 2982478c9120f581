package read

// Loosely reads a text of any form, also one that the strict reader takes.
var Loosely = loosely
