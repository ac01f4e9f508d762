/** Trainings that run in this process. They load the ONNX runtime; all else loads it in processes of its own. */
export { type EncoderPair, trainEncoder } from './embedded/training/train-encoder.ts';
