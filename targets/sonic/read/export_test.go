package read

// Loosely reads a text of any form, including texts that the strict reader accepts.
var Loosely = loosely
