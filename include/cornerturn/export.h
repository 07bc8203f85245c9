#ifndef CORNERTURN_EXPORT_H
#define CORNERTURN_EXPORT_H

/* What the shared library shows; all else in it is hidden. */
#define CORNERTURN_API __attribute__((visibility("default")))

#endif
